#pragma once

#include <string>
#include <vector>

#include "apps/loadshare/metrics/study.hpp"

namespace loadshare::tool {

/// Characters of the widest line of what a person reads.
inline constexpr int metrics_width = 100;

/// Three digits, "infinite", or "-" where it is not known.
std::string number_text(const granularity::Figure& figure);

/// In percent with one digit behind the point and without the sign; "-" where it is not known.
std::string percent_cell(const granularity::Figure& share);

/// "synthetic: gss, 400 iterations"; of several settings also the options in which they differ.
std::string setting_text(const Setting& setting, const std::vector<SettingStudy>& all);

/// Lines of notes behind the label "note", broken to fit.
std::string notes_text(const std::vector<std::string>& notes);

/// Rows of cells as a table, the heading first: `left` columns flush left, the others right, two blanks
/// between. A column of which nothing is known ("-" or nothing in every row) is left out.
std::string table_text(const std::vector<std::vector<std::string>>& rows, std::size_t left = 0);

}  // namespace loadshare::tool
