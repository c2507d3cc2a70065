#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace loadshare {

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

}  // namespace loadshare
