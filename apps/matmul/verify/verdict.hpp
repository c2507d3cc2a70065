#pragma once

#include <string>
#include <vector>

#include "schedulers/types.hpp"

namespace loadshare::matmul {

/// What a verification found.
struct Verdict {
  std::string method;        ///< "freivalds" or "full"
  Index columns = 0;         ///< columns checked
  std::vector<Chunk> wrong;  ///< the wrong columns as ranges, ascending
  /// The largest deviation found, as a multiple of what rounding may explain: a right product stays below 1.
  /// Infinite where a number is missing (a NaN where none belongs).
  double worst_error = 0;

  bool is_right() const { return wrong.empty(); }
  Index wrong_columns() const;
};

/// "columns 12-15, 40 (5 of 720)", or "none"; at most eight ranges are spelled out.
std::string describe_wrong(const Verdict& verdict);

/// Ascending positions as ranges.
std::vector<Chunk> as_ranges(const std::vector<Index>& ascending);

}  // namespace loadshare::matmul
