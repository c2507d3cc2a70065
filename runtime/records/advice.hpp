#pragma once

#include <string>

#include "runtime/records/records.hpp"

namespace loadshare {

// Texts of a run's summary other than its figures. Each is empty if nothing is known or nothing deserves a
// line.

/// Returns the cost of narrow chunks: "columns cost 5.1 times as much in chunks of 3 as in chunks of 60,
/// ...".
std::string width_cost_text(const RunRecord& record);

/// Returns advice against the largest loss of the workers' time, with the reason, if there is a clear remedy.
std::string advice(const RunRecord& record);

/// Explains the words of this run's summary, in lines of at most `columns_wide` characters.
std::string explanation(const RunRecord& record, int columns_wide);

}  // namespace loadshare
