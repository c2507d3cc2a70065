#pragma once

#include <string>
#include <vector>

#include "apps/loadshare/communication_model/columns.hpp"
#include "models/communication/curve.hpp"

namespace loadshare::tool {

/// A person's own measurements of one thing: the rows with equal values in the columns that tell groups
/// apart.
struct MeasuredGroup {
  std::vector<std::string> names;  ///< these values
  std::vector<communication::Sample> samples;
  std::string place;  ///< of its first row
};

struct Measurements {
  std::string size_name;  ///< as its column is called, which carries the unit
  std::vector<std::string> group_columns;
  std::vector<MeasuredGroup> groups;  ///< in the order in which they appear
};

/// The measurements in a table; throws UsageError, with the place, on what is no size or no time.
Measurements measurements_of(const CsvTable& table, const ColumnWishes& wishes);

}  // namespace loadshare::tool
