#pragma once

#include <optional>
#include <string>

#include "apps/common/matrix/sizes.hpp"
#include "program/farm_command_line.hpp"

namespace loadshare::matmul {

enum class Verification { none, freivalds, full };

/// What `matmul` is asked to do.
struct MatmulOptions {
  RunOptions run;
  std::string a_file, b_file, c_file;       ///< empty: A and B are random, C is not kept
  Index rows = 0, inner = 0, columns = 0;   ///< of random matrices
  ElementType type = ElementType::float64;  ///< ditto
  Index seed = 1;
  std::string kernel = "packed";
  Index work = 1;  ///< how many times each chunk is computed
  Verification verification = Verification::freivalds;
  std::optional<Index> spoil_column;  ///< for testing: a column of C to spoil before verifying
  std::optional<Index> fail_column;   ///< for testing: a column that cannot be computed

  bool has_files() const { return !a_file.empty(); }
};

/// Reads the command line; nothing when there is no more to do (help was printed). Throws UsageError.
std::optional<MatmulOptions> read_command_line(int argc, const char* const* argv);

/// "freivalds" and so on, as on the command line.
std::string name_of(Verification verification);

}  // namespace loadshare::matmul
