#pragma once

#include <string>

namespace loadshare {

/// --help's text of an option whose values are the rows of a table: `text`, then a line for each row, of its
/// name and its description.
template <class Table>
std::string table_help(std::string text, const Table& table) {
  for (const auto& row : table) {
    text += '\n';
    text += row.name;
    text += ": ";
    text += row.description;
  }
  return text;
}

}  // namespace loadshare
