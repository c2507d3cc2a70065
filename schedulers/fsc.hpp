#pragma once

#include <optional>

#include "schedulers/chunk_scheduler.hpp"
#include "schedulers/table.hpp"

namespace loadshare {

// Fixed-size chunking: `send` with the size that theory predicts from what is known about the loop.

/// The values in Kruskal and Weiss's formula.
struct FscFacts {
  Index iterations = 0;   ///< N; >= 0
  Index workers = 1;      ///< P; >= 1
  double overhead_s = 0;  ///< h, cost of a chunk besides its iterations; >= 0
  double sigma_s = 0;     ///< the standard deviation of an iteration's time; >= 0
};

/// Returns the best fixed size if iteration times vary and each chunk has a cost of its own.
///
/// Kruskal and Weiss, "Allocating independent subtasks on parallel processors", IEEE Trans. Software
/// Engineering SE-11(10), 1985: K = (sqrt(2) N h / (sigma P sqrt(ln P)))^(2/3). They do not define a
/// rounding; DLS4LB rounds up, LB4OMP down. If there is no imbalance to avoid, the formula divides by 0: one
/// worker (ln 1) then gets the whole loop, and without deviation each worker gets its share, N / P. The
/// result is at least 1.
Index fsc_size(const FscFacts& facts, Rounding round);

/// Returns a fixed size with about as many chunks as factoring, for loops whose h and sigma are unknown.
///
/// Banicescu, Ciorba and Srivastava, "Performance optimization of scientific applications using an autonomic
/// computing approach", in Scalable Computing: Theory and Practice, 2013: t ln 2 / ln t, where t = ceil(N /
/// P) is a worker's share, because factoring halves a share about log2 t times. Without `round` it is
/// trunc(0.55 + t ln 2 / ln t), as in DLS4LB, LB4OMP and LoopSim. For a share of 1, whose logarithm is 0, the
/// result is 1.
Index mfsc_size(Index iterations, Index workers, std::optional<Rounding> round = std::nullopt);

/// Return the table entries of `fsc[:overhead,sigma,round]` and `mfsc[:round]`.
SchedulerEntry fsc_entry();
SchedulerEntry mfsc_entry();

}  // namespace loadshare
