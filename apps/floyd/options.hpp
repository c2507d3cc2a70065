#pragma once

#include <optional>
#include <string>

#include "apps/floyd/graph.hpp"
#include "apps/spmd/command_line.hpp"
#include "apps/spmd/session.hpp"

namespace loadshare::floyd {

enum class Verification { none, sample, full };

/// What `floyd` is asked to do.
struct FloydOptions {
  spmd::Options run;
  Index size = 0;  ///< vertices
  double density = 1;
  spmd::RunPart part = spmd::RunPart::whole;
  Verification verification = Verification::sample;
  std::optional<Index> spoil_vertex;  ///< for testing: of whose paths one is spoiled before verifying

  Graph graph() const { return {size, density, static_cast<std::uint64_t>(run.seed)}; }
};

/// Reads the command line; nothing when there is no more to do (help was printed). Throws UsageError.
std::optional<FloydOptions> read_command_line(int argc, const char* const* argv);

/// As on the command line.
std::string name_of(Verification verification);

}  // namespace loadshare::floyd
