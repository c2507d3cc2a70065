#pragma once

#include <cstdint>

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

// The table's lines for costs at random.
CostEntry bimodal_entry();
CostEntry exponential_entry();
CostEntry gamma_entry();
CostEntry normal_entry();
CostEntry uniform_entry();

}  // namespace loadshare::synthetic
