#include "models/messages/measurements.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/names.hpp"
#include "base/quantities.hpp"

namespace loadshare::communication {
namespace {

constexpr std::string_view blanks = " \t\r";

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
      fail(at_ + 1, "there is text after a closing quote", "quotes enclose a whole cell");
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

constexpr auto time_units = std::to_array<std::pair<const char*, double>>({{"s", 1},
                                                                           {"sec", 1},
                                                                           {"second", 1},
                                                                           {"seconds", 1},
                                                                           {"ms", 1e-3},
                                                                           {"msec", 1e-3},
                                                                           {"millisecond", 1e-3},
                                                                           {"milliseconds", 1e-3},
                                                                           {"us", 1e-6},
                                                                           {"usec", 1e-6},
                                                                           {"microsecond", 1e-6},
                                                                           {"microseconds", 1e-6},
                                                                           {"ns", 1e-9},
                                                                           {"nsec", 1e-9},
                                                                           {"nanosecond", 1e-9},
                                                                           {"nanoseconds", 1e-9}});
constexpr std::array size_words{"byte", "bytes",   "kb",       "kib",   "mb",     "mib",    "int",
                                "ints", "integer", "integers", "float", "floats", "double", "doubles",
                                "word", "words",   "elements", "items", "size",   "length", "n"};
/// What makes a time of a column, whose unit is to follow.
constexpr std::array time_words{"time", "t", "duration", "elapsed", "latency"};

/// The words of a name, in small letters: of "Time (ms)" time and ms.
std::vector<std::string> words_of(const std::string& name) {
  std::vector<std::string> words(1);
  for (const char letter : name) {
    const auto c = static_cast<unsigned char>(letter);
    if (std::isalnum(c) != 0 || c >= 0x80)
      words.back() += static_cast<char>(std::tolower(c));
    else if (!words.back().empty())
      words.emplace_back();
  }
  if (words.size() > 1 && words.back().empty()) words.pop_back();
  return words;
}

std::string last_word(const std::string& name) {
  return words_of(name).back();
}

std::optional<double> time_unit_s(const std::string& name) {
  const std::string word = last_word(name);
  for (const auto& [unit, seconds] : time_units)
    if (word == unit) return seconds;
  return std::nullopt;
}

bool is_size(const std::string& name) {
  return std::ranges::find(size_words, last_word(name)) != size_words.end();
}

bool is_time_word(const std::string& word) {
  return std::ranges::find(time_words, word) != time_words.end();
}

bool lacks_unit(const std::string& name) {
  return is_time_word(last_word(name));
}

/// A time whose last word is no unit that is known: time_min, elapsed_hours.
bool has_strange_unit(const std::string& name) {
  const std::vector<std::string> words = words_of(name);
  return words.size() > 1 && is_time_word(words[words.size() - 2]) && !lacks_unit(name) &&
         !time_unit_s(name) && !is_size(name);
}

/// The names in a table's header.
class Header {
 public:
  explicit Header(const CsvTable& table) : table_(table) {
    for (const CsvCell& cell : table.header.cells) names_.push_back(cell.text);
    for (std::size_t i = 0; i < names_.size(); ++i) require_own_name(i);
  }

  const std::vector<std::string>& names() const { return names_; }

  std::size_t named(const char* option, const std::string& name) const {
    const auto found = std::ranges::find(names_, name);
    if (found == names_.end())
      throw UsageError(
          fmt::format("{}: {}", table_.place(table_.header, 0), unknown_name(option, name, names_).what()));
    return static_cast<std::size_t>(found - names_.begin());
  }

  /// The only one of a kind.
  std::size_t only(const char* kind, const char* option, const auto& is_of_kind, const char* names) const {
    std::vector<std::string> fitting;
    for (const std::string& name : names_)
      if (is_of_kind(name)) fitting.push_back(name);
    if (fitting.size() == 1) return named(option, fitting.front());
    if (fitting.empty())
      refuse(0, fmt::format("no column is a {}", kind), fmt::format("there are {}", list_names(names_)),
             fmt::format("name it {}, or choose one with {}", names, option));
    refuse(named(option, fitting[1]), fmt::format("several columns are a {}", kind), list_names(fitting),
           fmt::format("choose one with {}", option));
  }

  [[noreturn]] void refuse(std::size_t column, const std::string& problem, const std::string& why,
                           const std::string& suggestion) const {
    throw UsageError(fmt::format("{}: {}", table_.place(table_.header, column), problem), why, suggestion);
  }

 private:
  void require_own_name(std::size_t column) const {
    const std::string& name = names_[column];
    if (name.empty()) refuse(column, "a column has no name", "the first row names them", "give it one");
    if (std::count(names_.begin(), names_.begin() + static_cast<std::ptrdiff_t>(column), name) > 0)
      refuse(column, fmt::format("a second column '{}'", name), "each has a name of its own",
             "give it another");
  }

  const CsvTable& table_;
  std::vector<std::string> names_;
};

[[noreturn]] void refuse_unitless(const Header& header, std::size_t column) {
  const std::string& name = header.names()[column];
  header.refuse(column, fmt::format("the unit of '{}' is missing", name),
                "the name of a time must end in its unit",
                fmt::format("call it {0}_s, {0}_ms or {0}_us", name));
}

void refuse_strange_units(const Header& header) {
  const auto found = std::ranges::find_if(header.names(), has_strange_unit);
  if (found == header.names().end()) return;
  header.refuse(static_cast<std::size_t>(found - header.names().begin()),
                fmt::format("'{}' is not a unit of time in '{}'", last_word(*found), *found),
                "a time is in s, ms, us or ns", "convert it, or rename the column if it is not a time");
}

std::size_t time_column(const Header& header, const std::string& wish) {
  const auto has_unit = [](const std::string& name) { return time_unit_s(name).has_value(); };
  if (!wish.empty()) {
    const std::size_t column = header.named("--time", wish);
    if (!has_unit(wish)) refuse_unitless(header, column);
    return column;
  }
  const auto unitless = std::ranges::find_if(header.names(), lacks_unit);
  if (unitless != header.names().end() && std::ranges::none_of(header.names(), has_unit))
    refuse_unitless(header, static_cast<std::size_t>(unitless - header.names().begin()));
  return header.only("time", "--time", has_unit, "seconds, time_ms or time_us");
}

std::size_t size_column(const Header& header, const std::string& wish) {
  if (!wish.empty()) return header.named("--size", wish);
  return header.only("size", "--size", is_size, "bytes, ints or doubles");
}

/// A second time, or a second way to write the size, tells no groups apart.
std::vector<std::size_t> group_columns(const Header& header, const std::vector<std::string>& wishes) {
  std::vector<std::size_t> columns;
  for (const std::string& wish : wishes) columns.push_back(header.named("--by", wish));
  if (!wishes.empty()) return columns;
  for (std::size_t i = 0; i < header.names().size(); ++i) {
    const std::string& name = header.names()[i];
    if (!time_unit_s(name) && !lacks_unit(name) && !is_size(name)) columns.push_back(i);
  }
  return columns;
}

double number_at(const CsvTable& table, const CsvRow& row, std::size_t column) {
  const std::string& text = row.cells[column].text;
  if (const std::optional<double> value = parse_number(text)) return *value;
  throw UsageError(fmt::format("{}: '{}' is not a finite number", table.place(row, column), text),
                   fmt::format("it is in column '{}'", table.header.cells[column].text),
                   "write it as 12.5, or leave the row out");
}

Sample sample_of(const CsvTable& table, const CsvRow& row, const Columns& columns) {
  const auto refuse = [&](std::size_t column, const char* what, const char* why) {
    return UsageError(fmt::format("{}: the {} is {}", table.place(row, column), what, row.cells[column].text),
                      why, "leave the row out");
  };
  const double size = number_at(table, row, columns.size);
  if (size < 0) throw refuse(columns.size, "size", "it must be 0 or more");
  const double time = number_at(table, row, columns.time);
  if (time <= 0) throw refuse(columns.time, "time", "it must be more than 0; the clock may be too coarse");
  return {size, time * columns.time_unit_s};
}

std::vector<std::string> names_of(const CsvRow& row, const std::vector<std::size_t>& columns) {
  std::vector<std::string> names;
  for (const std::size_t column : columns) names.push_back(row.cells[column].text);
  return names;
}

}  // namespace

std::string CsvTable::place(const CsvRow& row, std::size_t cell) const {
  return fmt::format("{}:{}:{}", path, row.line, row.cells.at(cell).column);
}

CsvTable parse_csv(const std::string& path, const std::string& text) {
  CsvTable table{path, {}, {}};
  std::string_view rest = text;
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
    throw UsageError(fmt::format("{} holds no measurements", path), "it needs a header and rows below it",
                     "write a row for each measurement");
  return table;
}

Columns choose_columns(const CsvTable& table, const ColumnWishes& wishes) {
  const Header header(table);
  refuse_strange_units(header);
  Columns columns;
  columns.time = time_column(header, wishes.time);
  columns.time_unit_s = *time_unit_s(header.names()[columns.time]);
  columns.size = size_column(header, wishes.size);
  columns.groups = group_columns(header, wishes.groups);
  std::erase(columns.groups, columns.size);
  return columns;
}

Measurements measurements_of(const CsvTable& table, const ColumnWishes& wishes) {
  const Columns columns = choose_columns(table, wishes);
  Measurements all{table.header.cells[columns.size].text, names_of(table.header, columns.groups), {}};
  for (const CsvRow& row : table.rows) {
    const std::vector<std::string> names = names_of(row, columns.groups);
    auto group = std::ranges::find(all.groups, names, &MeasuredGroup::names);
    if (group == all.groups.end())
      group = all.groups.insert(group, {names, {}, table.place(row, columns.size)});
    group->samples.push_back(sample_of(table, row, columns));
  }
  return all;
}

}  // namespace loadshare::communication
