#pragma once

#include <string>

#include "runtime/timing/records.hpp"

namespace loadshare {

/// The table of the summary: a heading and one line a rank, each at most `columns_wide` characters.
std::string rank_table(const RunRecord& record, int columns_wide);

/// Whether the table leaves ranks out, showing their means instead.
bool is_collapsed(const RunRecord& record);

}  // namespace loadshare
