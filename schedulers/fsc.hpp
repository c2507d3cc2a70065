#pragma once

#include <optional>

#include "schedulers/chunk_scheduler.hpp"
#include "schedulers/table.hpp"

namespace loadshare {

// Fixed-size chunking: `send` with the size that theory chooses, from what is known of the loop.

/// What Kruskal and Weiss's optimum is made of.
struct FscFacts {
  Index iterations = 0;   ///< N; >= 0
  Index workers = 1;      ///< P; >= 1
  double overhead_s = 0;  ///< h, what a chunk costs beside its iterations; >= 0
  double sigma_s = 0;     ///< the standard deviation of an iteration's time; >= 0
};

/// The best fixed size where iterations scatter and a chunk has a cost of its own.
///
/// Kruskal and Weiss, "Allocating independent subtasks on parallel processors", IEEE Trans. Software
/// Engineering SE-11(10), 1985: K = (sqrt(2) N h / (sigma P sqrt(ln P)))^(2/3), without a rounding of their
/// own; up as in DLS4LB, where LB4OMP rounds down. If nothing is lost to imbalance, the formula divides by 0:
/// one worker (ln 1) gets the whole loop, and without deviation each gets its share, N / P. At least 1.
Index fsc_size(const FscFacts& facts, Rounding round);

/// A fixed size with about as many chunks as factoring has, for loops of which neither h nor sigma is known.
///
/// Banicescu, Ciorba and Srivastava, "Performance optimization of scientific applications using an autonomic
/// computing approach", in Scalable Computing: Theory and Practice, 2013: t ln 2 / ln t, where t = ceil(N /
/// P) is a worker's share, since factoring halves a share some log2 t times. Without `round` it is trunc(0.55
/// + t ln 2 / ln t), as DLS4LB, LB4OMP and LoopSim have it. Of a share of 1, whose logarithm is 0: 1.
Index mfsc_size(Index iterations, Index workers, std::optional<Rounding> round = std::nullopt);

/// The table's lines for `fsc[:overhead,sigma,round]` and `mfsc[:round]`.
SchedulerEntry fsc_entry();
SchedulerEntry mfsc_entry();

}  // namespace loadshare
