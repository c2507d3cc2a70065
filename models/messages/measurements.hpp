#pragma once

#include <string>
#include <vector>

#include "models/messages/curve.hpp"

namespace loadshare::communication {

struct CsvCell {
  std::string text;
  std::size_t column = 0;  ///< of its first character, counted from 1
};

struct CsvRow {
  std::size_t line = 0;
  std::vector<CsvCell> cells;
};

/// A table of comma-separated values with a header, all rows as long as that, and where each cell stands.
struct CsvTable {
  std::string path;
  CsvRow header;
  std::vector<CsvRow> rows;

  /// "runs.csv:3:7", for errors.
  std::string place(const CsvRow& row, std::size_t cell) const;
};

/// Reads a table as RFC 4180 has it: quotes around a cell keep commas in it, a doubled one in them is one.
/// Blanks around cells, empty lines, and lines that begin with # are passed over. A cell ends on its line.
/// Throws UsageError, beginning with `path` and place, where it is none. (Debian's readers tell no columns.)
CsvTable parse_csv(const std::string& path, const std::string& text);

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

/// A person's own measurements of one thing: the rows with equal values in the columns that tell groups
/// apart.
struct MeasuredGroup {
  std::vector<std::string> names;  ///< these values
  std::vector<Sample> samples;
  std::string place;  ///< of its first row
};

struct Measurements {
  std::string size_name;  ///< as its column is called, which carries the unit
  std::vector<std::string> group_columns;
  std::vector<MeasuredGroup> groups;  ///< in the order in which they appear
};

/// The measurements in a table; throws UsageError, with the place, on what is no size or no time.
Measurements measurements_of(const CsvTable& table, const ColumnWishes& wishes);

}  // namespace loadshare::communication
