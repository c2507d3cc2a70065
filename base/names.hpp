#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"

namespace loadshare {

/// Number of single-letter slips (insert, drop, replace, swap of neighbours) between two words; upper and
/// lower case count as equal. The restricted Damerau-Levenshtein ("optimal string alignment") distance.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The candidate that `word` was probably meant to be, the first of equals; nothing when none is within one
/// slip for each three letters. For any kind of name: schedulers, parameters, options.
std::optional<std::string> nearest(std::string_view word, std::span<const std::string> candidates);

/// `did you mean 'gss'?`, or empty text when no candidate is near; fits the suggestion of an Error.
std::string did_you_mean(std::string_view word, std::span<const std::string> candidates);

/// The names in one line, for error texts: `send, gss, tss`.
std::string list_names(std::span<const std::string> names);

/// The error for a name that is none of those there are: `unknown kernel 'bals' (valid: packed, blas); did
/// you mean 'blas'?`
UsageError unknown_name(std::string_view kind, std::string_view word, std::span<const std::string> names);

/// The values an option has, by the name that is typed.
template <class Value, std::size_t count>
using Choices = std::array<std::pair<const char*, Value>, count>;

/// The value named `text`; throws UsageError, with the nearest name, where there is none.
template <class Value, std::size_t count>
Value choose(std::string_view option, std::string_view text, const Choices<Value, count>& choices) {
  std::vector<std::string> names;
  for (const auto& [name, value] : choices) {
    if (text == name) return value;
    names.emplace_back(name);
  }
  throw unknown_name(option, text, names);
}

/// The name of `value`, which must be among them.
template <class Value, std::size_t count>
const char* name_among(const Choices<Value, count>& choices, Value value) {
  std::size_t at = 0;
  while (choices.at(at).second != value) ++at;
  return choices[at].first;
}

/// The row of a table whose `name` is `word`; throws UsageError, with the nearest name, where there is none.
template <class Table>
const auto& row_named(std::string_view kind, std::string_view word, const Table& table) {
  std::vector<std::string> names;
  for (const auto& row : table) {
    if (word == row.name) return row;
    names.emplace_back(row.name);
  }
  throw unknown_name(kind, word, names);
}

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
