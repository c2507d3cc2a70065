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

/// Returns the number of single-letter slips (insertion, deletion, replacement, swap of neighbours) between
/// two words, ignoring case. It is the restricted Damerau-Levenshtein ("optimal string alignment") distance.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// Returns the candidate closest to `word`, the first of several equals, or nothing if none is within one
/// slip per three letters. For any kind of name: schedulers, parameters, options.
std::optional<std::string> nearest(std::string_view word, std::span<const std::string> candidates);

/// Returns `did you mean 'gss'?`, or an empty text if no candidate is close; fits the suggestion of an Error.
std::string did_you_mean(std::string_view word, std::span<const std::string> candidates);

/// Returns the names in one line, for error texts: `send, gss, tss`.
std::string list_names(std::span<const std::string> names);

/// Returns the error for an unknown name: `unknown kernel 'bals' (valid: packed, blas); did you mean 'blas'?`
UsageError unknown_name(std::string_view kind, std::string_view word, std::span<const std::string> names);

/// The values of an option, each with the name that a user types.
template <class Value, std::size_t count>
using Choices = std::array<std::pair<const char*, Value>, count>;

/// Returns the value named `text`. Throws UsageError, with the nearest name, if there is none.
template <class Value, std::size_t count>
Value choose(std::string_view option, std::string_view text, const Choices<Value, count>& choices) {
  std::vector<std::string> names;
  for (const auto& [name, value] : choices) {
    if (text == name) return value;
    names.emplace_back(name);
  }
  throw unknown_name(option, text, names);
}

/// Returns the name of `value`, which must be among the choices.
template <class Value, std::size_t count>
const char* name_among(const Choices<Value, count>& choices, Value value) {
  std::size_t at = 0;
  while (choices.at(at).second != value) ++at;
  return choices[at].first;
}

/// Returns the row of a table whose `name` is `word`. Throws UsageError, with the nearest name, if there is
/// none.
template <class Table>
const auto& row_named(std::string_view kind, std::string_view word, const Table& table) {
  std::vector<std::string> names;
  for (const auto& row : table) {
    if (word == row.name) return row;
    names.emplace_back(row.name);
  }
  throw unknown_name(kind, word, names);
}

/// Returns the help text of an option whose values are the rows of a table: `text`, then each row's name and
/// description on a line.
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
