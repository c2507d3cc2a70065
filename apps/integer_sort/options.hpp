#pragma once

#include <optional>
#include <string>

#include "apps/spmd/session.hpp"

namespace loadshare::integer_sort {

enum class Verification { none, full };

/// What `integer_sort` is asked to do.
struct SortOptions {
  spmd::Options run;
  std::string problem;  ///< the class
  Verification verification = Verification::full;
  std::optional<Index> spoiled_iteration;  ///< for testing: before which one to spoil the first key
};

/// Reads the command line; nothing when there is no more to do (help was printed). Throws UsageError.
std::optional<SortOptions> read_command_line(int argc, const char* const* argv);

/// As on the command line.
std::string name_of(Verification verification);

}  // namespace loadshare::integer_sort
