#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/statistics.hpp"
#include "base/types.hpp"
#include "models/farm/loop_cost.hpp"

namespace loadshare::predictor {

/// What a chunk cost, and where: hosts, shares of a processor and runs are numbered from 0.
struct ChunkCost {
  Chunk chunk;
  double seconds = 0;  ///< more than 0
  std::size_t host = 0, share = 0, run = 0;
  double doubt = 0;  ///< standard deviation, relative, by which something else than its iterations moved it
};

/// Chunks of one loop, of one run or several, in any order; they need not be all of it.
struct CostObservations {
  Index iterations = 0;
  std::vector<double> work;  ///< as LoopRecord has it; empty: as far as anybody knows iterations are alike
  std::vector<ChunkCost> chunks;
  std::size_t hosts = 1, shares = 1, runs = 1;
};

/// What a loop may cost, as far as its chunks tell: the middle of that, or one of many equally likely ones.
struct CostDraw {
  LoopCost loop;                       ///< on the reference: a mean host of share 0, in wide chunks
  std::vector<WidthFactor> widths;     ///< by share
  std::vector<double> share_slowness;  ///< by share; the first is 1
  std::vector<double> host_slowness;   ///< by host
  ChunkScatter scatter;
};

/// Standard deviations of logarithms, which the costs of a loop follow.
struct CostLaws {
  double walk = 0.3;       ///< of an iteration's cost at the loop's end about that at its beginning
  double iteration = 0.1;  ///< of an iteration's cost about its neighbours'
  double chunk = 0.015;    ///< of the time that one and the same chunk takes
  double narrow = 0.03;    ///< of how much more an iteration costs alone than in a wide chunk
};

/// The cost of a loop's iterations as a profile over the loop, told apart from what narrow chunks cost more,
/// from slower hosts and from slow runs, with how uncertain all that is. The seconds y of a chunk of n
/// iterations are
///
///     y = slowness(run, host, share) * (1 + b(share) / n) * sum over its iterations i of work(i) * exp(u(i))
///
/// in the mean, with a relative variance of chunk^2 beside that of its iterations. u is a random walk over
/// the loop plus a part of each iteration's own; b is the cost of a chunk's beginning, in iterations. All are
/// fitted at once, as a latent Gaussian model: penalised quasi-likelihood of a gamma response with a
/// logarithmic link (so totals are kept, and no iteration costs nothing or less), the walk over at most 128
/// equal pieces of the loop. What the laws (CostLaws) are is not taken as certain either: the posterior is a
/// mixture over those that the chunks make likely, by Laplace's approximation of the evidence, in which "b is
/// nothing" competes with "b is something". Where width and position go together, as in a run of gss, chunks
/// of one width, or a part of the loop that one wide chunk had alone, the posterior is wide there.
///
/// Rue, Martino and Chopin, "Approximate Bayesian inference for latent Gaussian models by using integrated
/// nested Laplace approximations", J. R. Statist. Soc. B 71(2), 2009; Nelder and Pregibon, "An extended
/// quasi-likelihood function", Biometrika 74(2), 1987.
class CostProfile {
 public:
  /// At least one chunk. `most_pieces`: fewer are fitted sooner.
  explicit CostProfile(const CostObservations& observations, Index most_pieces = 128);
  /// The laws given, and certain: for who asks what others of the same chunks say.
  CostProfile(const CostObservations& observations, const CostLaws& laws, Index most_pieces = 128);
  ~CostProfile();

  CostDraw middle() const;
  /// One that the chunks allow, the same for the same number.
  CostDraw drawn(std::uint64_t number) const;

  const CostLaws& laws() const;  ///< the likeliest
  /// Between which two 9 of 10 draws have what an iteration costs alone, in units of what it does in a wide
  /// chunk, on share 0.
  Interval alone() const;
  /// Logarithms of how slow each run was, about the middle one.
  std::vector<double> run_slowness() const;
  /// What chunks of that loop should cost together, in the middle, and the standard deviation of the
  /// logarithm of what they do.
  struct Expected {
    double seconds = 0;
    double deviation = 0;
  };
  Expected expected(const std::vector<ChunkCost>& others) const;

 private:
  class Process;
  struct Posterior;

  std::unique_ptr<const Process> process_;
  std::vector<Posterior> posteriors_;  // the likeliest first
};

}  // namespace loadshare::predictor
