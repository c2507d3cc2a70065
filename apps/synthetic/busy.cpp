#include "apps/synthetic/busy.hpp"

#include <algorithm>

#include "apps/synthetic/rounds.hpp"

namespace loadshare::synthetic {

void Busy::spend(double cost_s, const Work& work) const {
  constexpr double between_looks = 1 << 20;  // about 2 ms: a cancelled chunk ends soon
  double rounds = cost_s * static_cast<double>(rounds_per_second_);
  while (rounds >= 0.5 && !work.is_cancelled()) {
    const double now = std::min(rounds, between_looks);
    compute_rounds(static_cast<std::uint64_t>(now + 0.5));
    rounds -= now;
  }
}

}  // namespace loadshare::synthetic
