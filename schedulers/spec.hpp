#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/names.hpp"
#include "base/types.hpp"

namespace loadshare {

/// How a fractional size is rounded, and the words for it.
enum class Rounding { down, up };
inline constexpr Choices<Rounding, 2> roundings{{{"down", Rounding::down}, {"up", Rounding::up}}};

/// A name with parameters, as a user types it: `gss:14,min=2` is {gss, {divisor: 14, min: 2}}.
struct Spec {
  std::string name;
  std::map<std::string, std::string, std::less<>> values;
  std::string kind = "scheduler";  ///< what errors call it

  /// Returns the text given for a parameter, valid as long as this object, or null if none was given.
  const std::string* given(std::string_view parameter) const;
  bool has(std::string_view parameter) const { return given(parameter) != nullptr; }

  // Each of these returns a parameter's value, or nothing if none was given. Throws UsageError for a wrong
  // value.

  /// Reads an integer >= `least`.
  std::optional<Index> integer(std::string_view parameter, Index least = 1) const;
  /// Reads a number in [least, most], both finite.
  std::optional<double> real(std::string_view parameter, double least, double most) const;
  /// Reads one or more numbers separated by colons: `1:2:0.5`.
  std::optional<std::vector<double>> list(std::string_view parameter, double least, double most) const;
  /// Reads one of the words in `choices`.
  template <class Value, std::size_t count>
  std::optional<Value> word(std::string_view parameter, const Choices<Value, count>& choices) const {
    const std::string* const text = given(parameter);
    if (text == nullptr) return std::nullopt;
    return choose(std::string(parameter) + " of " + kind + " " + name, *text, choices);
  }

  /// Throws UsageError if both integer parameters were given and `low` is greater than `high`. A default
  /// never causes an error: it adapts to the value that was given.
  void require_ordered(std::string_view low, std::string_view high) const;
  /// Returns the canonical text, with every given parameter by name: `gss:divisor=14,min=2`.
  std::string text() const;
  /// Returns the beginning of an error about a value: `scheduler gss: divisor is '0'`.
  std::string said(std::string_view parameter, std::string_view value) const;
};

using SchedulerSpec = Spec;

/// The end of a parameter's value: the next comma, or, for a path, the end of the spec.
enum class Extent { word, rest };

/// One parameter of a technique, as shown by `--scheduler help`. Positional values fill them in this order.
struct ParameterInfo {
  std::string name;              ///< as typed: "divisor"
  std::string default_text;      ///< as shown: "workers"
  std::string description;       ///< with the paper's letter: "G, the divisor of the remaining iterations"
  Extent extent = Extent::word;  ///< `rest`: the only parameter; its value may contain spaces and commas
};

/// The form of a spec: a technique's name and its parameters.
struct SpecForm {
  std::string name;
  std::string description;  ///< one line, naming the paper
  std::vector<ParameterInfo> parameters;
};

/// Returns the forms of a table's entries, which have these members and more.
template <class Entry>
std::vector<SpecForm> forms_of(const std::vector<Entry>& entries) {
  std::vector<SpecForm> forms;
  for (const Entry& entry : entries) forms.push_back({entry.name, entry.description, entry.parameters});
  return forms;
}

/// How help introduces a kind of spec: "scheduler", with an example in two notations.
struct SpecKind {
  std::string_view name;
  std::string_view example;  ///< positional values first: "gss:14,min=2"
  std::string_view in_full;  ///< the same with every parameter by name
};

/// The text of `--scheduler help` and its like: every form with its positional shape, parameters and
/// defaults, and how a spec is written. Lines are broken between words at `columns`.
std::string spec_help(const SpecKind& kind, const std::vector<SpecForm>& forms, std::size_t columns = 100);

/// Reads `NAME`, `NAME:VALUE,...` or `NAME:PARAMETER=VALUE,...`, positional values first. Checks names
/// against `forms`; values are checked when the object is made. Errors call it a `kind`: "scheduler". Throws
/// UsageError.
Spec parse_spec(std::string_view kind, std::string_view text, const std::vector<SpecForm>& forms);

}  // namespace loadshare
