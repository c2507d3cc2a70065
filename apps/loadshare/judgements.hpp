#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "experiments/sweep/verdict.hpp"
#include "models/efficiency/study.hpp"

namespace loadshare::tool {

/// What the page shows of a comparison: `value`, `low` and `high` (null: too few rounds), `is_shown`,
/// `is_equal` and `text`; null where there is none.
nlohmann::ordered_json ratio_json(const std::optional<sweep::TimeRatio>& ratio);

/// The efficiency by granularity over the classical one (over E_H where that is what compares) of each of the
/// setting's points; nothing on one rank, where the second is 1 by definition, and where no round has both.
///
/// A round is a run and the sequential run of the same repetition, by whose time its classical efficiency is
/// taken here. So the scatter of the sequential time is in the interval, and what sways both runs of a round
/// cancels out.
std::vector<std::optional<sweep::TimeRatio>> over_classical(const granularity::SettingStudy& setting,
                                                            const sweep::Judging& judging);

}  // namespace loadshare::tool
