#include "schedulers/spec_parser.hpp"

#include <algorithm>
#include <string>

#include "schedulers/error.hpp"
#include "schedulers/nearest.hpp"

namespace loadshare {
namespace {

std::string quoted(std::string_view text) {
  return std::string(1, '\'').append(text).append(1, '\'');
}

std::vector<std::string> names_of(const auto& items) {
  std::vector<std::string> names;
  for (const auto& item : items) names.push_back(item.name);
  return names;
}

std::string without_spaces(std::string_view text) {
  std::string result(text);
  std::erase_if(result, [](char c) { return c == ' ' || (c >= '\t' && c <= '\r'); });
  return result;
}

void require_no_spaces(std::string_view text) {
  const std::string tight = without_spaces(text);
  if (tight.size() == text.size()) return;
  throw UsageError("scheduler " + quoted(text) + " has a space in it", "specs are written without spaces",
                   tight.empty() ? "" : "write " + quoted(tight));
}

const SchedulerEntry& find_entry(std::string_view name, const std::vector<SchedulerEntry>& entries) {
  const auto found = std::ranges::find(entries, name, &SchedulerEntry::name);
  if (found != entries.end()) return *found;
  const auto names = names_of(entries);
  if (name.empty()) throw UsageError("no scheduler named", "valid: " + list_names(names));
  throw unknown_name("scheduler", name, names);
}

/// Fills one spec, value by value.
class ValueReader {
 public:
  explicit ValueReader(const SchedulerEntry& entry) : entry_(entry), spec_{entry.name, {}} {}

  void read(std::string_view item) {
    const auto equals = item.find('=');
    if (equals == std::string_view::npos) return read_positional(item);
    has_named_ = true;
    set(known(item.substr(0, equals)), item.substr(equals + 1));
  }

  SchedulerSpec take() { return std::move(spec_); }

 private:
  void read_positional(std::string_view value) {
    if (has_named_)
      fail("value " + quoted(value) + " without a name", "it stands after a named one",
           "put values without a name first");
    if (position_ == entry_.parameters.size())
      fail("one value too many, " + quoted(value), "parameters: " + list_names(names_of(entry_.parameters)),
           "leave it out");
    set(entry_.parameters[position_++].name, value);
  }

  const std::string& known(std::string_view parameter) const {
    const auto found = std::ranges::find(entry_.parameters, parameter, &ParameterInfo::name);
    if (found != entry_.parameters.end()) return found->name;
    const auto names = names_of(entry_.parameters);
    const std::string valid = names.empty() ? "it has none" : "valid: " + list_names(names);
    fail("unknown parameter " + quoted(parameter), valid, did_you_mean(parameter, names));
  }

  void set(const std::string& parameter, std::string_view value) {
    if (value.empty())
      fail("no value for " + parameter, "nothing stands there", "give one, or leave out the comma or colon");
    if (!spec_.values.emplace(parameter, value).second)
      fail(parameter + " given twice", "the second time as " + quoted(value), "give it once");
  }

  [[noreturn]] void fail(const std::string& problem, std::string_view why,
                         std::string_view suggestion) const {
    throw UsageError("scheduler " + entry_.name + ": " + problem, why, suggestion);
  }

  const SchedulerEntry& entry_;
  SchedulerSpec spec_;
  std::size_t position_ = 0;
  bool has_named_ = false;
};

}  // namespace

SchedulerSpec parse_spec(std::string_view text, const std::vector<SchedulerEntry>& entries) {
  require_no_spaces(text);
  const auto colon = text.find(':');
  const SchedulerEntry& entry = find_entry(text.substr(0, colon), entries);
  ValueReader reader(entry);
  if (colon == std::string_view::npos) return reader.take();
  std::string_view rest = text.substr(colon + 1);
  for (auto comma = rest.find(','); comma != std::string_view::npos; comma = rest.find(',')) {
    reader.read(rest.substr(0, comma));
    rest.remove_prefix(comma + 1);
  }
  reader.read(rest);
  return reader.take();
}

}  // namespace loadshare
