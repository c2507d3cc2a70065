#pragma once

#include <cstdint>

#include "apps/synthetic/costs/cost.hpp"
#include "apps/synthetic/costs/table.hpp"
#include "base/types.hpp"

namespace loadshare::synthetic {

/// The random numbers of one iteration: as many as it wants, the same whenever they are asked for, because
/// they are hashes of seed, iteration and their own place in the sequence (counter-based).
class Draws {
 public:
  Draws(std::uint64_t seed, Index iteration);

  /// Evenly distributed in the open interval (0, 1); its logarithm is finite.
  double uniform();
  /// Of the standard normal distribution, by Box and Muller's transform; takes two uniform ones.
  double normal();

 private:
  std::uint64_t state_;
};

/// Two kinds of iterations, cheap and dear, in random order: as where some find nothing to do.
class Bimodal final : public Cost {
 public:
  Bimodal(CostRange range, double share, std::uint64_t seed) : range_(range), share_(share), seed_(seed) {}

  double seconds(Index iteration) const override;

 private:
  CostRange range_;
  double share_;  ///< of the dear ones
  std::uint64_t seed_;
};

/// The table's line for `bimodal[:low,high,share]`.
CostEntry bimodal_entry();

/// Exponentially distributed costs: many cheap iterations and a few that cost several times the mean; the
/// standard deviation is the mean.
class Exponential final : public Cost {
 public:
  Exponential(double mean_s, std::uint64_t seed) : mean_s_(mean_s), seed_(seed) {}

  double seconds(Index iteration) const override;

 private:
  double mean_s_;
  std::uint64_t seed_;
};

/// The table's line for `exponential[:mean]`.
CostEntry exponential_entry();

/// Gamma distributed costs: never negative, of any spread. With cv = 1 it is the exponential distribution,
/// with a small one nearly the normal.
///
/// Drawn by Marsaglia and Tsang, "A simple method for generating gamma variables", ACM Transactions on
/// Mathematical Software 26(3), 2000, with their way from a shape to that shape plus 1 for those below 1.
class Gamma final : public Cost {
 public:
  Gamma(double mean_s, double cv, std::uint64_t seed) : mean_s_(mean_s), cv_(cv), seed_(seed) {}

  double seconds(Index iteration) const override;

 private:
  double mean_s_;
  double cv_;  ///< standard deviation over mean; the shape is 1 / cv^2
  std::uint64_t seed_;
};

/// The table's line for `gamma[:mean,cv]`.
CostEntry gamma_entry();

/// Normally distributed costs, truncated at 0: what would be negative is drawn again. Up to cv = 0.3 that
/// hardly ever happens; at 1, mean and deviation become 1.29 and 0.79 times those asked for.
class Normal final : public Cost {
 public:
  Normal(double mean_s, double cv, std::uint64_t seed) : mean_s_(mean_s), cv_(cv), seed_(seed) {}

  double seconds(Index iteration) const override;

 private:
  double mean_s_;
  double cv_;  ///< standard deviation over mean, before truncation
  std::uint64_t seed_;
};

/// The table's line for `normal[:mean,cv]`.
CostEntry normal_entry();

/// Any cost from low to high is as likely as any other: mean (low + high) / 2, standard deviation
/// (high - low) / sqrt(12).
class Uniform final : public Cost {
 public:
  Uniform(CostRange range, std::uint64_t seed) : range_(range), seed_(seed) {}

  double seconds(Index iteration) const override;

 private:
  CostRange range_;
  std::uint64_t seed_;
};

/// The table's line for `uniform[:low,high]`.
CostEntry uniform_entry();

}  // namespace loadshare::synthetic
