#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "schedulers/nearest.hpp"

namespace loadshare {

/// The values an option has, by the name that is typed.
template <class Value, std::size_t count>
using Choices = std::array<std::pair<const char*, Value>, count>;

/// The value named `text`; throws UsageError, with the nearest name, where there is none.
template <class Value, std::size_t count>
Value choose(const char* option, const std::string& text, const Choices<Value, count>& choices) {
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

}  // namespace loadshare
