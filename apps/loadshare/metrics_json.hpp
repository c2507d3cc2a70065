#pragma once

#include <nlohmann/json.hpp>

#include "models/efficiency/study.hpp"

namespace loadshare::tool {

/// The schema of what study_json() gives.
inline constexpr int metrics_schema = 1;

/// The study as JSON. Of one setting on one number of ranks: an object with `schema`, `program`, `options`,
/// `speeds_from` and `is_unequal` (see SpeedBasis), `sequential_source`, every figure of
/// granularity::figure_table() (medians where there are several runs, with their `range`), `by_run` with the
/// efficiencies in the order of `sources`, `ranks` with the same keys a rank, `partial`, and `notes`. Of
/// more: `settings`, each with `points` of that form, and `isoefficiency`. What is not known is null; so is
/// an infinite granularity, and beside it `G_word` (and its like) is "infinite".
nlohmann::ordered_json study_json(const granularity::Study& study);

}  // namespace loadshare::tool
