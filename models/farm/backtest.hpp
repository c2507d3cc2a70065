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
/// techniques is predicted from the others (of many, each quarter from the other three). Standard deviation
/// of the logarithm of measured over predicted makespans: 2 %, as usual, counts for two techniques beside
/// those held out, and the middle 9 of 10 are those of Student's t for so few (cross-validation: Stone, J. R.
/// Statist. Soc. B 36(2), 1974). Nothing where the runs are of one technique, one has a technique that is not
/// in the table, or `place_of` has no place for one.
std::optional<double> held_out_deviation(
    std::span<const RunRecord> runs,
    const std::function<std::optional<RunPlace>(const RunRecord&)>& place_of);

}  // namespace loadshare::predictor
