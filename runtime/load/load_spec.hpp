#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/load/load_plan.hpp"

namespace loadshare {

/// A background load as it was asked for, for a whole run:
///   on=1s,off=1s,share=0.5,phase=0|250ms|random,seed=7,where=workers|all|0-3+5
///   constant,share=0.5,where=...
///   trace=FILE,where=...        (FILE: lines `second share`, # begins a comment)
struct LoadSpec {
  enum class Shape { on_off, constant, trace };
  enum class Where { workers, all, listed };

  std::string text;  ///< as it was given
  Shape shape = Shape::on_off;
  double on_s = 0;
  double off_s = 0;
  double share = 0.5;  ///< of the processor, for the load while it is on; the worker keeps the rest
  double phase_s = 0;
  bool is_phase_random = false;  ///< each rank its own, drawn from `seed`
  std::uint64_t seed = 1;
  std::vector<LoadStep> steps;  ///< of a trace
  Where where = Where::workers;
  std::vector<int> ranks;  ///< where they are listed, ascending

  /// Whether this rank gets a load; `computes`: it is a worker. Threads count as ranks as in the summary:
  /// the master's is 0, the workers' are 1 and up.
  bool loads(int rank, bool computes) const;
  /// What this rank's load is to do. The same seed gives the same phases everywhere and at any number of
  /// ranks: the phase is drawn with std::mt19937_64, as the number `rank` after `seed`, and scaled by hand.
  LoadPlan plan_for(int rank) const;
};

/// Reads a spec, and a trace's file, which every host must see. Throws UsageError, naming the part of the
/// spec, the line of the trace, or the trace that cannot be read here.
LoadSpec parse_load_spec(std::string_view text);

/// The same for parts by name, each of which is an option of a command (`--on 1s --off 1s`). Errors name
/// these options.
LoadSpec load_of_options(const std::map<std::string, std::string>& parts);

/// The trace file that a load's spec, valid or not, names; empty: none.
std::string load_trace_file(std::string_view text);

/// Throws UsageError where ranks are listed that are not among `ranks`, counted from 0.
void require_ranks(const LoadSpec& spec, int ranks);

}  // namespace loadshare
