#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/load/load_plan.hpp"

namespace loadshare {

/// The background load of a run as the user specifies it:
///   on=1s,off=1s,share=0.5,phase=0|250ms|random,seed=7,where=workers|all|0-3+5
///   constant,share=0.5,where=...
///   trace=FILE,where=...        (FILE: lines `second share`, # begins a comment)
struct LoadSpec {
  enum class Shape { on_off, constant, trace };
  enum class Where { workers, all, listed };

  std::string text;  ///< the spec as typed
  Shape shape = Shape::on_off;
  double on_s = 0;
  double off_s = 0;
  double share = 0.5;  ///< of the processor, while the load is on; the worker keeps the rest
  double phase_s = 0;
  bool is_phase_random = false;  ///< each rank has its own phase, drawn from `seed`
  std::uint64_t seed = 1;
  std::vector<LoadStep> steps;  ///< of a trace
  Where where = Where::workers;
  std::vector<int> ranks;  ///< of Where::listed, ascending

  /// Returns whether this rank gets a load; `computes`: it is a worker. Threads count as ranks as in the
  /// summary: the master is 0, the workers are 1 and up.
  bool loads(int rank, bool computes) const;
  /// Returns this rank's plan. The same seed gives the same phases on every host and for any number of ranks.
  /// The phase is number `rank` of std::mt19937_64 after `seed`, scaled without the library's distributions.
  LoadPlan plan_for(int rank) const;
};

/// Parses a spec, and reads the file of a trace, which must exist on every host. Throws UsageError, which
/// names the part of the spec, the line of the trace, or the file that cannot be read.
LoadSpec parse_load_spec(std::string_view text);

/// Likewise for parts by name, each of which is an option of a command (`--on 1s --off 1s`). Errors name
/// these options.
LoadSpec load_of_options(const std::map<std::string, std::string>& parts);

/// Returns the trace file that a load's spec names, even if the spec is invalid; empty: none.
std::string load_trace_file(std::string_view text);

/// Throws UsageError if a listed rank is not among `ranks`, counted from 0.
void require_ranks(const LoadSpec& spec, int ranks);

}  // namespace loadshare
