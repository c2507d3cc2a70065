#pragma once

#include <optional>
#include <span>
#include <vector>

namespace loadshare::granularity {

/// A run of a known problem size, reduced to what isoefficiency asks.
struct SizedRun {
  int processors = 0;
  double problem_size_s = 0;  ///< W
  double efficiency = 0;
};

/// K = E / (1 - E), the factor of the isoefficiency relation W = K T_o(W, p) (Grama, Gupta and Kumar, 1993).
/// By granularity it is G itself: holding E is holding G. Throws UsageError outside 0 < E < 1.
double isoefficiency_factor(double efficiency);

/// Which problem keeps the efficiency on so many processors.
struct IsoefficiencyPoint {
  int processors = 0;
  /// Nothing where no two measured sizes have the wanted efficiency between them: nothing is extrapolated.
  std::optional<double> problem_size_s;
  /// T_o there: W / K.
  std::optional<double> overhead_s;
};

/// For each number of processors among `runs`, ascending, the smallest W at which E reaches `efficiency`, by
/// interpolation between neighbouring sizes (linear in log W). Runs of one size and number are averaged.
/// Throws UsageError as isoefficiency_factor(), and for a size that is not positive.
std::vector<IsoefficiencyPoint> isoefficiency(std::span<const SizedRun> runs, double efficiency);

}  // namespace loadshare::granularity
