#pragma once

#include <cstdint>

#include "apps/synthetic/costs/table.hpp"
#include "base/types.hpp"

namespace loadshare::synthetic {

/// The random numbers of one iteration, of any count. They are hashes of seed, iteration and their position
/// in the sequence (counter-based), so that they are the same whenever they are computed.
class Draws {
 public:
  Draws(std::uint64_t seed, Index iteration);

  /// Returns a number from the open interval (0, 1). Its logarithm is finite.
  double uniform();
  /// Returns a standard normal number by Box and Muller's transform, from two uniform ones.
  double normal();

 private:
  std::uint64_t state_;
};

// Each returns the table entry of a random distribution.
CostEntry bimodal_entry();
CostEntry exponential_entry();
CostEntry gamma_entry();
CostEntry normal_entry();
CostEntry uniform_entry();

}  // namespace loadshare::synthetic
