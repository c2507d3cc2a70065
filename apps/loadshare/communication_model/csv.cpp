#include "apps/loadshare/communication_model/csv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "schedulers/error.hpp"

namespace loadshare::tool {
namespace {

constexpr std::string_view blanks = " \t\r";
constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

/// The cells of one line, one after the other.
class LineReader {
 public:
  LineReader(const std::string& path, std::size_t number, std::string_view line)
      : path_(path), number_(number), line_(line) {}

  std::vector<CsvCell> cells() {
    std::vector<CsvCell> cells{next()};
    while (at_ < line_.size()) {
      ++at_;  // the comma
      cells.push_back(next());
    }
    return cells;
  }

 private:
  CsvCell next() {
    at_ = std::min(line_.find_first_not_of(blanks, at_), line_.size());
    return at_ < line_.size() && line_[at_] == '"' ? quoted() : plain();
  }

  CsvCell plain() {
    const std::size_t begin = at_;
    at_ = std::min(line_.find(',', begin), line_.size());
    const std::string_view text = line_.substr(begin, at_ - begin);
    return {std::string(text.substr(0, text.find_last_not_of(blanks) + 1)), begin + 1};
  }

  CsvCell quoted() {
    CsvCell cell{"", at_ + 1};
    for (++at_;; ++at_) {
      if (at_ >= line_.size()) fail(cell.column, "a quote is not closed", "a cell ends on its line");
      if (line_[at_] == '"' && line_.substr(at_ + 1, 1) != "\"") break;
      if (line_[at_] == '"') ++at_;
      cell.text += line_[at_];
    }
    at_ = std::min(line_.find_first_not_of(blanks, at_ + 1), line_.size());
    if (at_ < line_.size() && line_[at_] != ',')
      fail(at_ + 1, "text stands behind a closing quote", "quotes go around a whole cell");
    return cell;
  }

  [[noreturn]] void fail(std::size_t column, std::string_view problem, std::string_view why) const {
    throw UsageError(fmt::format("{}:{}:{}: {}", path_, number_, column, problem), why,
                     "double the quotes that belong to the text");
  }

  const std::string& path_;
  std::size_t number_;
  std::string_view line_;
  std::size_t at_ = 0;
};

bool says_something(std::string_view line) {
  return line.find_first_not_of(blanks) != line.npos && !line.starts_with('#');
}

void require_length(const CsvTable& table, const CsvRow& row) {
  const std::size_t has = row.cells.size(), wanted = table.header.cells.size();
  if (has == wanted) return;
  throw UsageError(fmt::format("{}: the row has {} cells", table.place(row, std::min(has, wanted) - 1), has),
                   fmt::format("the header has {}", wanted), "give each column a cell");
}

}  // namespace

std::string CsvTable::place(const CsvRow& row, std::size_t cell) const {
  return fmt::format("{}:{}:{}", path, row.line, row.cells.at(cell).column);
}

CsvTable parse_csv(const std::string& path, const std::string& text) {
  CsvTable table{path, {}, {}};
  std::string_view rest = text;
  if (rest.starts_with(byte_order_mark)) rest.remove_prefix(byte_order_mark.size());
  for (std::size_t number = 1; !rest.empty(); ++number) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    if (!says_something(line)) continue;
    CsvRow row{number, LineReader(path, number, line).cells()};
    if (table.header.cells.empty()) {
      table.header = std::move(row);
    } else {
      require_length(table, row);
      table.rows.push_back(std::move(row));
    }
  }
  if (table.rows.empty())
    throw UsageError(fmt::format("{} holds no measurements", path), "it takes a header and rows below it",
                     "write a row for each measurement");
  return table;
}

}  // namespace loadshare::tool
