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

constexpr std::array<std::pair<const char*, double>, 12> time_units{{{"s", 1},
                                                                     {"sec", 1},
                                                                     {"second", 1},
                                                                     {"seconds", 1},
                                                                     {"ms", 1e-3},
                                                                     {"millisecond", 1e-3},
                                                                     {"milliseconds", 1e-3},
                                                                     {"us", 1e-6},
                                                                     {"microsecond", 1e-6},
                                                                     {"microseconds", 1e-6},
                                                                     {"ns", 1e-9},
                                                                     {"nanoseconds", 1e-9}}};
constexpr std::array size_words{"byte", "bytes",   "kb",       "kib",   "mb",     "mib",    "int",
                                "ints", "integer", "integers", "float", "floats", "double", "doubles",
                                "word", "words",   "elements", "items", "size",   "length", "n"};
/// Times whose unit is missing.
constexpr std::array unitless_times{"time", "t", "duration", "elapsed", "latency"};

std::string last_word(const std::string& name) {
  const std::size_t begin = name.find_last_of("_ ");
  std::string word = begin == name.npos ? name : name.substr(begin + 1);
  std::ranges::transform(word, word.begin(), [](unsigned char c) { return std::tolower(c); });
  return word;
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

bool lacks_unit(const std::string& name) {
  return std::ranges::find(unitless_times, last_word(name)) != unitless_times.end();
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
      throw unknown_name(fmt::format("{} in the header: column", option), name, names_);
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
  Columns columns;
  columns.time = time_column(header, wishes.time);
  columns.time_unit_s = *time_unit_s(header.names()[columns.time]);
  columns.size = size_column(header, wishes.size);
  columns.groups = group_columns(header, wishes.groups);
  std::erase(columns.groups, columns.size);
  return columns;
}

}  // namespace loadshare::tool
