#pragma once

#include "apps/synthetic/effort.hpp"

namespace loadshare::synthetic {

/// Work for the processor: a fixed number of rounds for each second of cost. A slower machine, or one that
/// other programs load, takes longer over the same cost, as with any real computation.
class Busy final : public Effort {
 public:
  explicit Busy(std::uint64_t rounds_per_second) : rounds_per_second_(rounds_per_second) {}

  void spend(double cost_s, const Work& work) const override;
  bool uses_processor() const override { return true; }

 private:
  std::uint64_t rounds_per_second_;
};

}  // namespace loadshare::synthetic
