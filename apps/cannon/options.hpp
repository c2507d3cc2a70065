#pragma once

#include <optional>
#include <string>

#include "apps/spmd/session.hpp"

namespace loadshare::cannon {

enum class Verification { none, freivalds };

/// What `cannon` is asked to do.
struct CannonOptions {
  spmd::Options run;
  Index size = 0;  ///< of the square matrices
  std::string kernel;
  Verification verification = Verification::freivalds;
  std::optional<Index> spoil_row;  ///< for testing: a row of the product to spoil before verifying
};

/// Reads the command line; nothing when there is no more to do (help was printed). Throws UsageError.
std::optional<CannonOptions> read_command_line(int argc, const char* const* argv);

/// "freivalds" and so on, as on the command line.
std::string name_of(Verification verification);

}  // namespace loadshare::cannon
