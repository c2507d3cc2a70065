#pragma once

#include <string>

#include "runtime/records/records.hpp"

namespace loadshare {

// What a run's summary says beside its figures. Each is empty where nothing is known, or nothing is worth a
// line.

/// What narrow chunks cost: "columns cost 5.1 times as much in chunks of 3 as in chunks of 60, ...".
std::string width_cost_text(const RunRecord& record);

/// What took most of the workers' time from computing at full speed, where there is a clear way to have it
/// back: that way, and why.
std::string advice(const RunRecord& record);

/// What the words of this run's summary mean, in lines of at most `columns_wide` characters.
std::string explanation(const RunRecord& record, int columns_wide);

}  // namespace loadshare
