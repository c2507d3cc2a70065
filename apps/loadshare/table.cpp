#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "apps/loadshare/output.hpp"
#include "base/io/text.hpp"

namespace loadshare::tool {
namespace {

constexpr int column_gap = 2;
constexpr int least_words_width = 12;

using TableRows = std::vector<std::vector<std::string>>;

/// The cells of a column, the heading first. A line end in a cell begins a new line of its row.
struct TableColumn {
  std::vector<std::string> cells;
  bool is_left = false;
};

/// Takes the first line off `cell`.
std::string take_line(std::string& cell) {
  const std::size_t end = std::min(cell.find('\n'), cell.size());
  std::string line = cell.substr(0, end);
  cell.erase(0, end + 1);
  return line;
}

int width_of(TableColumn column) {
  std::size_t widest = 0;
  for (std::string& cell : column.cells)
    while (!cell.empty()) widest = std::max(widest, take_line(cell).size());
  return static_cast<int>(widest);
}

int width_of(const std::vector<TableColumn>& columns) {
  int width = -column_gap;
  for (const TableColumn& column : columns) width += width_of(column) + column_gap;
  return width;
}

bool is_known(const TableColumn& column) {
  return std::any_of(column.cells.begin() + 1, column.cells.end(),
                     [](const std::string& cell) { return cell != "-" && !cell.empty(); });
}

/// Whether the cells are sentences or lists, which may be broken, rather than a number with its unit.
bool has_words(const TableColumn& column) {
  constexpr std::size_t longest_number = 16;
  return std::any_of(column.cells.begin() + 1, column.cells.end(), [](const std::string& cell) {
    return cell.size() > longest_number && cell.find(' ') != std::string::npos;
  });
}

std::vector<TableColumn> known_columns(const TableRows& rows, std::size_t left) {
  std::vector<TableColumn> columns;
  for (std::size_t i = 0; i < rows.front().size(); ++i) {
    TableColumn column{.cells = {}, .is_left = i < left};
    for (const auto& row : rows) column.cells.push_back(row[i]);
    if (is_known(column)) columns.push_back(std::move(column));
  }
  return columns;
}

/// Breaks the cells of the widest column of words, so that the table fits `width` if possible.
void wrap_words(std::vector<TableColumn>& columns, int width) {
  TableColumn* widest = nullptr;
  for (TableColumn& column : columns)
    if (has_words(column) && (widest == nullptr || width_of(column) > width_of(*widest))) widest = &column;
  if (widest == nullptr) return;
  const int left = std::max(width_of(*widest) - (width_of(columns) - width), least_words_width);
  for (std::string& cell : widest->cells) cell = wrapped(cell, left, 0);
}

/// A row of the table, as many lines as the cell with most of them has.
std::string table_row(const std::vector<TableColumn>& columns, std::size_t row,
                      const std::vector<int>& widths) {
  std::vector<std::string> cells;
  for (const TableColumn& column : columns) cells.push_back(column.cells[row]);
  std::string text;
  do {
    std::string line;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const std::string cell = take_line(cells[i]);
      if (i > 0) line.append(column_gap, ' ');
      line += columns[i].is_left ? fmt::format("{:<{}}", cell, widths[i])
                                 : fmt::format("{:>{}}", cell, widths[i]);
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  } while (std::ranges::any_of(cells, [](const std::string& cell) { return !cell.empty(); }));
  return text;
}

std::string table_lines(const std::vector<TableColumn>& columns) {
  std::vector<int> widths;
  for (const TableColumn& column : columns) widths.push_back(width_of(column));
  std::string text;
  for (std::size_t row = 0; row < columns.front().cells.size(); ++row)
    text += table_row(columns, row, widths);
  return text;
}

}  // namespace

std::string table_text(const TableRows& rows, std::size_t left, int width) {
  std::vector<TableColumn> columns = known_columns(rows, left);
  if (columns.empty()) return std::string(rows.size(), '\n');
  if (width_of(columns) > width) wrap_words(columns, width);
  std::string text;
  std::vector<TableColumn> shown{columns.front()};
  int used = width_of(columns.front());
  for (std::size_t i = 1; i < columns.size(); ++i) {
    const int more = column_gap + width_of(columns[i]);
    if (used + more > width && shown.size() > 1) {
      text += table_lines(shown) + "\n";
      shown.resize(1);
      used = width_of(columns.front());
    }
    shown.push_back(columns[i]);
    used += more;
  }
  return text + table_lines(shown);
}

}  // namespace loadshare::tool
