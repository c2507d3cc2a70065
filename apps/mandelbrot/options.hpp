#pragma once

#include <optional>
#include <string>

#include "apps/mandelbrot/escape.hpp"
#include "program/farm_command_line.hpp"

namespace loadshare::mandelbrot {

enum class Verification { none, sample, full };

/// What `mandelbrot` is asked to do.
struct MandelbrotOptions {
  RunOptions run;
  Index width = 0, height = 0;  ///< pixels
  Index tasks = 0;              ///< tiles of the image
  Region region;
  Count depth = 0;  ///< iterations at most
  std::string image_file;
  Verification verification = Verification::sample;
  Index seed = 1;              ///< of the sample
  std::optional<Index> spoil;  ///< for testing: a tile whose counts to spoil before verifying
};

/// Reads the command line; nothing when there is no more to do (help was printed). Throws UsageError.
std::optional<MandelbrotOptions> read_command_line(int argc, const char* const* argv);

/// "sample" and so on, as on the command line.
std::string name_of(Verification verification);

}  // namespace loadshare::mandelbrot
