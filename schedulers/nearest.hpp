#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "schedulers/error.hpp"

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

/// The error for a name that is none of those there are: `unknown kernel 'bals' (valid: packed, blas) did you
/// mean 'blas'?`
UsageError unknown_name(std::string_view kind, std::string_view word, std::span<const std::string> names);

}  // namespace loadshare
