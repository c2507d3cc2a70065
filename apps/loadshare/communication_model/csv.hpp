#pragma once

#include <string>
#include <vector>

namespace loadshare::tool {

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

}  // namespace loadshare::tool
