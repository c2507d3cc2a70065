#pragma once

#include <optional>
#include <string>

#include "apps/spmd/command_line.hpp"
#include "apps/spmd/session.hpp"

namespace loadshare::bucket_sort {

enum class Verification { none, full };

/// What `bucket_sort` is asked to do.
struct SortOptions {
  spmd::Options run;
  Index size = 0;
  std::string keys;
  std::string split;
  spmd::RunPart part = spmd::RunPart::whole;
  Verification verification = Verification::full;
  std::optional<Index> spoil_rank;  ///< for testing: whose first key to spoil before verifying
};

/// Reads the command line; nothing when there is no more to do (help was printed). Throws UsageError.
std::optional<SortOptions> read_command_line(int argc, const char* const* argv);

/// As on the command line.
std::string name_of(Verification verification);

}  // namespace loadshare::bucket_sort
