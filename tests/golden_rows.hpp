#pragma once

#include <fstream>
#include <map>
#include <string>
#include <vector>

namespace loadshare::test {

/// A line of a golden file by column name; commas within double quotes are part of a value, and some of the
/// files have carriage returns.
using Row = std::map<std::string, std::string>;

inline std::vector<std::string> read_cells(const std::string& line) {
  std::vector<std::string> cells(1);
  bool is_quoted = false;
  for (const char c : line) {
    if (c == '"')
      is_quoted = !is_quoted;
    else if (c == ',' && !is_quoted)
      cells.emplace_back();
    else if (c != '\r')
      cells.back() += c;
  }
  return cells;
}

/// All lines of a file in tests/data; those that begin with # are passed over.
inline std::vector<Row> read_rows(const std::string& file) {
  std::ifstream stream(std::string(LOADSHARE_TEST_DATA "/") + file);
  std::vector<std::string> header;
  std::vector<Row> rows;
  for (std::string line; std::getline(stream, line);) {
    if (line.starts_with('#')) continue;
    const auto cells = read_cells(line);
    if (header.empty()) {
      header = cells;
      continue;
    }
    Row& row = rows.emplace_back();
    for (std::size_t i = 0; i < header.size(); ++i) row[header[i]] = cells.at(i);
  }
  return rows;
}

}  // namespace loadshare::test
