#pragma once

#include <optional>
#include <string>

#include "apps/common/matrix/sizes.hpp"
#include "program/farm_command_line.hpp"

namespace loadshare::matvec {

enum class Verification { none, full };

/// What `matvec` is asked to do.
struct MatvecOptions {
  RunOptions run;
  std::string a_file, x_file, y_file;       ///< empty: A and x are random, y is not kept
  Index rows = 0, columns = 0;              ///< of a random matrix
  ElementType type = ElementType::float64;  ///< ditto
  Index seed = 1;
  Index repeat = 1;  ///< how many times each chunk is computed
  Verification verification = Verification::full;
  std::optional<Index> spoil;  ///< for testing: a row of y to spoil before verifying

  bool has_files() const { return !a_file.empty(); }
};

/// Reads the command line; nothing when there is no more to do (help was printed). Throws UsageError.
std::optional<MatvecOptions> read_command_line(int argc, const char* const* argv);

/// "full" or "none", as on the command line.
std::string name_of(Verification verification);

}  // namespace loadshare::matvec
