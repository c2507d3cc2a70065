#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "models/program/scaling/law.hpp"

namespace loadshare::reconstruction {

/// A whole number that was seen in a run: whom a message went to, how often a loop ran.
struct Observation {
  const scaling::Setting* setting = nullptr;  ///< of the run, with `p`
  double rank = 0;
  std::span<const std::uint32_t> counters;  ///< of the loops around it, the outermost first
  double value = 0;
};

/// The name that the loop at that depth, from 0, counts by in a rebuilt graph: "i1", "i2".
std::string loop_variable(std::size_t depth);

/// Throws UsageError where the graph's expressions cannot have a parameter of that name.
void require_parameter_name(const std::string& name);

/// An expression in the language of timing graphs.
struct Rule {
  std::string text;
  /// Others as simple that give the same wherever something was seen, and something else on more ranks.
  std::vector<std::string> others;
};

/// The simplest expression that gives every value that was seen exactly: a constant, neighbours on a line, a
/// ring, a grid or a hypercube, what follows a loop around it, multiples of a parameter. Nothing where none
/// does; "0" without observations.
std::optional<Rule> find_rule(std::span<const Observation> observations);

/// For partners in a loop in which each rank names all others equally often, in whatever order they came, as
/// a server does that answers: everybody in turn. Nothing elsewhere.
std::optional<std::string> find_rule_of_turns(std::span<const Observation> observations);

}  // namespace loadshare::reconstruction
