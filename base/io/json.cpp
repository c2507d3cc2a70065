#include "base/io/json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "base/error.hpp"
#include "base/io/text.hpp"

namespace loadshare {
namespace {

/// Counts the lines that a parser has passed; nlohmann's parser does not count them.
class LineCounter {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  LineCounter(const char* at, std::size_t& line) : at_(at), line_(&line) {}

  const char& operator*() const { return *at_; }
  LineCounter& operator++() {
    if (*at_ == '\n') ++*line_;
    ++at_;
    return *this;
  }
  bool operator==(const LineCounter& other) const { return at_ == other.at_; }

 private:
  const char* at_;
  std::size_t* line_;
};

}  // namespace

Fields::Fields(const nlohmann::json& object, std::string place, std::string name)
    : json_(object), place_(std::move(place)), name_(std::move(name)) {
  if (!json_.is_object()) refuse(fmt::format("{} is no JSON object", name_), json_.type_name());
}

void Fields::refuse(const std::string& problem, const std::string& why, const std::string& suggestion) const {
  throw UsageError(fmt::format("{}: {}", place_, problem), why, suggestion);
}

const nlohmann::json& Fields::value(const char* key) const {
  const auto found = json_.find(key);
  if (found == json_.end()) refuse(fmt::format("{} has no '{}'", name_, key), "every record has one");
  return *found;
}

const nlohmann::json& Fields::value(const char* key, bool is_right_type, const char* type) const {
  if (!is_right_type)
    refuse(fmt::format("'{}' of {} is {}", key, name_, value(key).dump()),
           fmt::format("it must be {}", type));
  return value(key);
}

std::string Fields::text(const char* key) const {
  const auto& text = value(key, value(key).is_string(), "a text").get_ref<const std::string&>();
  return printable(text, text.size() * 4);
}

Index Fields::integer(const char* key, Index least) const {
  const auto number = value(key, value(key).is_number_integer(), "a whole number").get<Index>();
  if (number < least)
    refuse(fmt::format("'{}' of {} is {}", key, name_, number), fmt::format("at least {}", least));
  return number;
}

double Fields::seconds(const char* key) const {
  const double seconds = at_least_0(key, "a time in seconds", "times are not negative");
  if (seconds > most_seconds)
    refuse(fmt::format("'{}' of {} is {}", key, name_, seconds), "no program runs for decades");
  return seconds;
}

double Fields::amount(const char* key) const {
  return at_least_0(key, "a number", "it is 0 or more");
}

double Fields::at_least_0(const char* key, const char* type, const char* why) const {
  const auto number = value(key, value(key).is_number(), type).get<double>();
  if (!(std::isfinite(number) && number >= 0))
    refuse(fmt::format("'{}' of {} is {}", key, name_, number), why);
  return number;
}

double Fields::number(const char* key, double above, double most) const {
  const auto number = value(key, value(key).is_number(), "a number").get<double>();
  if (!(number > above && number <= most))
    refuse(fmt::format("'{}' of {} is {}", key, name_, number),
           fmt::format("it is more than {} and at most {}", above, most));
  return number;
}

bool Fields::truth(const char* key) const {
  return value(key, value(key).is_boolean(), "true or false").get<bool>();
}

const nlohmann::json& Fields::object(const char* key) const {
  return value(key, value(key).is_object(), "an object");
}

const nlohmann::json& Fields::list(const char* key) const {
  return value(key, value(key).is_array(), "a list");
}

std::string json_position(std::string_view text, std::size_t byte) {
  const std::string_view before = text.substr(0, byte == 0 ? 0 : byte - 1);
  const std::size_t line_end = before.rfind('\n');
  const std::size_t column = line_end == before.npos ? before.size() : before.size() - line_end - 1;
  return fmt::format("{}:{}", std::ranges::count(before, '\n') + 1, column + 1);
}

namespace {

LocatedJson locate_json(std::string_view text) {
  LocatedJson located;
  std::size_t line = 1;
  std::string list;
  const auto note = [&](int depth, nlohmann::json::parse_event_t event, const nlohmann::json& value) {
    if (depth == 1 && event == nlohmann::json::parse_event_t::key) list = value.get<std::string>();
    if (depth == 2 && event == nlohmann::json::parse_event_t::object_start)
      located.lines[list].push_back(line);
    return true;
  };
  located.json = nlohmann::json::parse(LineCounter(text.data(), line),
                                       LineCounter(text.data() + text.size(), line), note);
  return located;
}

}  // namespace

LocatedJson parse_json_file(std::string_view text, const std::string& path, const JsonKind& kind) {
  if (text.find_first_not_of(" \t\r\n") == text.npos)
    throw UsageError(fmt::format("{} is empty", path), fmt::format("a {} is JSON", kind.what),
                     fmt::format("write one with {} --out FILE", kind.command));
  const std::string why =
      fmt::format("the file is cut short or damaged, or was not written by {}", kind.command);
  try {
    return locate_json(text);
  } catch (const nlohmann::json::parse_error& error) {
    throw UsageError(fmt::format("{}:{}: this is no JSON", path, json_position(text, error.byte)), why);
  } catch (const nlohmann::json::out_of_range&) {
    throw UsageError(fmt::format("{}: a number in it is too large", path), why);
  }
}

}  // namespace loadshare
