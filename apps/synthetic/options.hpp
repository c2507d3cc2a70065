#pragma once

#include <optional>

#include "apps/synthetic/effort.hpp"
#include "apps/synthetic/workload.hpp"
#include "program/farm_command_line.hpp"
#include "schedulers/spec.hpp"

namespace loadshare::synthetic {

/// What `synthetic` is asked to do.
struct SyntheticOptions {
  RunOptions run;
  LoopSizes sizes;
  Spec cost;
  EffortEntry effort;
  std::optional<std::uint64_t> rounds_per_second;  ///< nothing: to be measured on the master
  std::optional<Index> spoil;                      ///< for testing: an iteration whose result to spoil
};

/// Reads the command line; nothing when there is no more to do (help was printed). Throws UsageError.
std::optional<SyntheticOptions> read_command_line(int argc, const char* const* argv);

}  // namespace loadshare::synthetic
