#pragma once

#include <functional>
#include <optional>
#include <span>

#include "models/farm/farm_model.hpp"
#include "runtime/records/records.hpp"

namespace loadshare::predictor {

/// Where a run was, as its prediction has it.
struct RunPlace {
  FarmSetting setting;
  Network network;
};

/// How far off predictions of other techniques are, as far as the runs of a model tell: each of their
/// techniques is predicted from the others (of many, each third from the other two). Standard deviation of
/// the logarithm of measured over predicted makespans: 2 %, as usual, counts for two techniques beside those
/// held out, which are one fewer than they look, for of two the second's error is the first's with another
/// sign; the middle 9 of 10 are those of Student's t for so few (cross-validation: Stone, J. R. Statist. Soc.
/// B 36(2), 1974). Left out are runs that a prediction of the whole farm is not of: whose technique was
/// chosen meanwhile or is not in the table, whose workers came or went, that were resumed, skipped
/// iterations, have no timed chunks, or no place. Nothing where those left are of one technique. As many runs
/// at a time as there are cores.
std::optional<double> held_out_deviation(
    std::span<const RunRecord> runs, const std::function<std::optional<RunPlace>(const RunRecord&)>& place_of,
    int cores = 1);

}  // namespace loadshare::predictor
