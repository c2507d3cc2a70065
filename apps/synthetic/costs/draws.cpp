#include "apps/synthetic/costs/draws.hpp"

#include <cmath>
#include <numbers>

#include "apps/common/split_mix.hpp"

namespace loadshare::synthetic {

Draws::Draws(std::uint64_t seed, Index iteration)
    : state_(split_mix::first_state(seed, static_cast<std::uint64_t>(iteration))) {}

double Draws::uniform() {
  state_ += split_mix::golden_gamma;
  return (static_cast<double>(split_mix::mix(state_) >> 12) + 0.5) * 0x1p-52;
}

double Draws::normal() {
  const double radius = std::sqrt(-2 * std::log(uniform()));
  return radius * std::cos(2 * std::numbers::pi * uniform());
}

}  // namespace loadshare::synthetic
