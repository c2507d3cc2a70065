#include "apps/loadshare/communication_model/columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <utility>

#include "schedulers/nearest.hpp"

namespace loadshare::tool {
namespace {

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
             fmt::format("name it as {}, or say which it is with {}", names, option));
    refuse(named(option, fitting[1]), fmt::format("several columns are a {}", kind), list_names(fitting),
           fmt::format("say which it is with {}", option));
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
                "the name of a time ends in its unit, which is not guessed",
                fmt::format("call it {0}_s, {0}_ms or {0}_us", name));
}

void refuse_strange_units(const Header& header) {
  const auto found = std::ranges::find_if(header.names(), has_strange_unit);
  if (found == header.names().end()) return;
  header.refuse(static_cast<std::size_t>(found - header.names().begin()),
                fmt::format("'{}' is no unit of '{}'", last_word(*found), *found),
                "a time is in s, ms, us or ns", "convert it, or call the column otherwise if it is no time");
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

}  // namespace

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

}  // namespace loadshare::tool
