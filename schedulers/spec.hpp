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

/// How a fractional size becomes whole, and the words for it.
enum class Rounding { down, up };
inline constexpr Choices<Rounding, 2> roundings{{{"down", Rounding::down}, {"up", Rounding::up}}};

/// Something as it was asked for, parameters by name: `gss:14,min=2` is {gss, {divisor: 14, min: 2}}.
struct Spec {
  std::string name;
  std::map<std::string, std::string, std::less<>> values;
  std::string kind = "scheduler";  ///< what it is, as errors call it

  /// The text that a parameter was given, as long as this lives; null where it was given none.
  const std::string* given(std::string_view parameter) const;
  bool has(std::string_view parameter) const { return given(parameter) != nullptr; }

  // A parameter's value, or nothing where it was not given; each throws UsageError where it is no such value.

  /// A whole number >= `least`.
  std::optional<Index> whole(std::string_view parameter, Index least = 1) const;
  /// A number in [least, most], both finite.
  std::optional<double> real(std::string_view parameter, double least, double most) const;
  /// One or more of them, with colons between: `1:2:0.5`.
  std::optional<std::vector<double>> list(std::string_view parameter, double least, double most) const;
  /// One of the words that there are.
  template <class Value, std::size_t count>
  std::optional<Value> word(std::string_view parameter, const Choices<Value, count>& choices) const {
    const std::string* const text = given(parameter);
    if (text == nullptr) return std::nullopt;
    return choose(std::string(parameter) + " of " + kind + " " + name, *text, choices);
  }

  /// Throws UsageError when both whole-number parameters were given and `low` is more than `high`. A default
  /// is never at fault: it gives way to the value that was given.
  void require_ordered(std::string_view low, std::string_view high) const;
  /// The canonical text with every given parameter by name: `gss:divisor=14,min=2`.
  std::string text() const;
  /// What an error says of a value: `scheduler gss: divisor is '0'`.
  std::string said(std::string_view parameter, std::string_view value) const;
};

using SchedulerSpec = Spec;

/// Where a parameter's value ends: at the next comma, or, for a path, with the spec.
enum class Extent { word, rest };

/// One parameter of a technique, as `--scheduler help` shows it. Positional values fill them in this order.
struct ParameterInfo {
  std::string name;              ///< as typed: "divisor"
  std::string default_text;      ///< as shown: "workers"
  std::string description;       ///< with the paper's letter: "G, the divisor of the remaining iterations"
  Extent extent = Extent::word;  ///< `rest`: the only parameter, whose value may have spaces and commas
};

/// What can be written in a spec: one technique's name and its parameters.
struct SpecForm {
  std::string name;
  std::string description;  ///< one line, with the paper
  std::vector<ParameterInfo> parameters;
};

/// The forms of a table's entries, which have these and more members.
template <class Entry>
std::vector<SpecForm> forms_of(const std::vector<Entry>& entries) {
  std::vector<SpecForm> forms;
  for (const Entry& entry : entries) forms.push_back({entry.name, entry.description, entry.parameters});
  return forms;
}

/// How help introduces a kind of spec: "scheduler", with an example in two spellings.
struct SpecKind {
  std::string_view name;
  std::string_view example;  ///< positional values first: "gss:14,min=2"
  std::string_view in_full;  ///< the same with every parameter by name
};

/// The text of `--scheduler help` and its like: every form with its positional shape, parameters and
/// defaults, and how a spec is written. At most 100 columns wide.
std::string spec_help(const SpecKind& kind, const std::vector<SpecForm>& forms);

/// Reads `NAME`, `NAME:VALUE,...` or `NAME:PARAMETER=VALUE,...`, positional values first, against the
/// `forms` there are. Names are checked here, values where the thing is made. `kind` is what errors call it:
/// "scheduler". Throws UsageError.
Spec parse_spec(std::string_view kind, std::string_view text, const std::vector<SpecForm>& forms);

}  // namespace loadshare
