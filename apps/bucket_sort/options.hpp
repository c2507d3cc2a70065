#pragma once

#include <optional>
#include <string>

#include "apps/spmd/options.hpp"

namespace loadshare::bucket_sort {

/// What is timed: from rank 0's keys to its sorted ones, or only what all ranks do.
enum class RunPart { whole, parallel };

enum class Verification { none, full };

/// What `bucket_sort` is asked to do.
struct SortOptions {
  spmd::Options run;
  Index size = 0;
  std::string keys;
  std::string split;
  RunPart part = RunPart::whole;
  Verification verification = Verification::full;
  std::optional<Index> spoil_rank;  ///< for testing: whose first key to spoil before verifying
};

/// Reads the command line; nothing when there is no more to do (help was printed). Throws UsageError.
std::optional<SortOptions> read_command_line(int argc, const char* const* argv);

/// As on the command line.
std::string name_of(RunPart part);
std::string name_of(Verification verification);

}  // namespace loadshare::bucket_sort
