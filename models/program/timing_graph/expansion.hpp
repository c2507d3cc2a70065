#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "models/messages/collective_model.hpp"
#include "models/program/timing_graph/graph.hpp"
#include "models/program/timing_graph/program.hpp"

namespace loadshare::timing_graph {

/// A parameter of a graph and the value it gets instead of its own.
struct Setting {
  std::string name;
  double value = 0;
};

struct ExpansionOptions {
  std::size_t most_ops = 50'000'000;
  /// What whole collective calls take; those of which it says nothing, or all where there is none, become the
  /// messages that Open MPI would send for them.
  const communication::CollectiveCosts* collectives = nullptr;
};

/// What the processes of `graph` do with its parameters set as told: loops run, branches taken, collective
/// calls brought together. Throws UsageError, with the place, on expressions that make no sense, and on
/// ranks, sizes and counts that cannot be; UnknownMeetings where collective calls do not meet, and where it
/// becomes too large.
Program expand(const Graph& graph, const std::vector<Setting>& settings,
               const ExpansionOptions& options = {});

}  // namespace loadshare::timing_graph
