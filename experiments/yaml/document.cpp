#include "experiments/yaml/document.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <sstream>

#include "base/io/files.hpp"
#include "base/names.hpp"
#include "base/quantities.hpp"

namespace loadshare::yaml {
namespace {

constexpr std::size_t longest_shown = 60;

constexpr std::size_t longest_bytes = std::size_t{16} << 20;

}  // namespace

UsageError Value::error(std::string_view problem, std::string_view why, std::string_view suggestion) const {
  return error_at(*file_, position(), problem, why, suggestion);
}

UsageError Value::wrong(std::string_view why, std::string_view suggestion) const {
  return error(fmt::format("{} is {}", subject(), shown()), why, suggestion);
}

std::string Value::subject() const {
  return name_.empty() ? "the file" : name_;
}

std::string Value::shown() const {
  switch (node_->kind) {
    case Kind::null:
      return "empty";
    case Kind::list:
      return "a list";
    case Kind::map:
      return "a map";
    case Kind::scalar:
      break;
  }
  if (node_->text.size() <= longest_shown) return fmt::format("'{}'", node_->text);
  return fmt::format("'{}...'", node_->text.substr(0, longest_shown));
}

const std::string& Value::scalar(std::string_view why) const {
  if (!is_scalar()) throw wrong(why);
  return node_->text;
}

bool Value::is_boolean() const {
  return is_scalar() && !is_quoted() && (node_->text == "true" || node_->text == "false");
}

std::string Value::text() const {
  const std::string& text = scalar("it must be a text");
  if (text.empty()) throw wrong("it must not be empty");
  return text;
}

Index Value::integer(Index least, Index most) const {
  const std::string& text = scalar("it must be a whole number");
  Index number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, failure] = std::from_chars(text.data(), end, number);
  if (failure == std::errc::result_out_of_range) throw wrong("it is too large");
  if (failure != std::errc{} || stop != end) throw wrong("it must be a whole number");
  if (number < least)
    throw error(fmt::format("{} is {}", subject(), number), fmt::format("it must be at least {}", least));
  if (number > most)
    throw error(fmt::format("{} is {}", subject(), number), fmt::format("it must be at most {}", most));
  return number;
}

double Value::number(double least, double most) const {
  const auto number = parse_number(scalar("it must be a number"));
  if (!number) throw wrong("it must be a number");
  if (*number < least || *number > most)
    throw wrong(fmt::format("it must be from {:g} to {:g}", least, most));
  return *number;
}

double Value::percentage(double most) const {
  constexpr std::string_view why = "it must be a percentage like 2%";
  const auto share = parse_percentage(scalar(why));
  if (!share) throw wrong(why);
  if (*share > most) throw wrong(fmt::format("it must be at most {:g}%", most * 100));
  return *share;
}

double Value::duration_s() const {
  constexpr std::string_view why = "it must be a duration like 1.5s or 250ms";
  const auto seconds = parse_duration_s(scalar(why));
  if (!seconds) throw wrong(why);
  return *seconds;
}

double Value::rate_bits_per_s() const {
  constexpr std::string_view why = "it must be a rate like 100mbit";
  const auto rate = parse_rate_bits_per_s(scalar(why));
  if (!rate || *rate <= 0) throw wrong(why);
  return *rate;
}

bool Value::boolean() const {
  if (!is_boolean()) throw wrong("it must be true or false");
  return node_->text == "true";
}

std::vector<Value> Value::list() const {
  if (!is_list()) throw wrong("it must be a list");
  std::vector<Value> values;
  for (const NodePointer& item : node_->items)
    values.emplace_back(file_, item, fmt::format("item {} of {}", values.size() + 1, subject()));
  return values;
}

Map Value::map() const {
  if (!is_map()) throw wrong("it must be a map of `key: value`");
  return Map(*this, node_);
}

Value Map::value_of(const Entry& entry) const {
  // The parser places an empty value at the text after it, but users look for it at its key.
  if (entry.value->kind != Kind::null) return {value_.file_, entry.value, entry.key};
  auto empty = std::make_shared<Node>(*entry.value);
  empty->position = entry.key_position;
  return {value_.file_, empty, entry.key};
}

std::optional<Value> Map::find(const std::string& key) {
  requested_.push_back(key);
  for (const Entry& entry : node_->entries)
    if (entry.key == key) return value_of(entry);
  return std::nullopt;
}

Value Map::at(const std::string& key) {
  auto value = find(key);
  if (value) return *std::move(value);
  const std::string& name = value_.name();
  throw value_.error(name.empty() ? fmt::format("'{}' is missing", key)
                                  : fmt::format("{} has no '{}'", name, key));
}

std::vector<std::pair<std::string, Value>> Map::all() {
  std::vector<std::pair<std::string, Value>> values;
  for (const Entry& entry : node_->entries) {
    requested_.push_back(entry.key);
    values.emplace_back(entry.key, value_of(entry));
  }
  return values;
}

void Map::finish() const {
  require_known(requested_);
}

void Map::require_known(std::span<const std::string> known) const {
  for (const Entry& entry : node_->entries) {
    if (std::ranges::find(known, entry.key) != known.end()) continue;
    throw error_at(value_.file(), entry.key_position, fmt::format("unknown key '{}'", entry.key),
                   fmt::format("valid: {}", list_names(known)), did_you_mean(entry.key, known));
  }
}

Value read(const std::string& text, const std::string& file) {
  return {std::make_shared<const std::string>(file), parse(text, file), ""};
}

Value load(const std::string& path) {
  return read(read_text_file(path, {}, longest_bytes), path);
}

}  // namespace loadshare::yaml
