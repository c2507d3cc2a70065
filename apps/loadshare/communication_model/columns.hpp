#pragma once

#include <string>
#include <vector>

#include "apps/loadshare/communication_model/csv.hpp"

namespace loadshare::tool {

/// What a user says of the columns; what is empty is found by the columns' names.
struct ColumnWishes {
  std::string size;
  std::string time;
  std::vector<std::string> groups;
};

/// What the columns of a table of measurements are.
struct Columns {
  std::size_t size = 0;
  std::size_t time = 0;
  double time_unit_s = 1;
  std::vector<std::size_t> groups;  ///< equal values in all of these make a group
};

/// Finds them by the last word of their names: a size's is a thing that is counted (`bytes`,
/// `n_thousand_ints`), a time's a unit (`seconds`, `time_ms`); no unit is ever guessed. Groups are told apart
/// by all that is neither a size nor a time. Throws UsageError, with the place, where a column is missing, is
/// not clear, or has no unit.
Columns choose_columns(const CsvTable& table, const ColumnWishes& wishes);

}  // namespace loadshare::tool
