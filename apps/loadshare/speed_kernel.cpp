#include "apps/loadshare/speed_kernel.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace loadshare::tool {
namespace {

constexpr std::size_t length = 512;  // two vectors of 4 KiB
constexpr int rounds = 1000;

}  // namespace

SpeedKernel::SpeedKernel() : values_(length, 0.0), added_(length) {
  for (std::size_t i = 0; i < length; ++i) added_[i] = 1 + static_cast<double>(i) / length;
}

double SpeedKernel::operations() {
  return 2.0 * length * rounds;
}

void SpeedKernel::compute() {
  double* __restrict values = values_.data();
  const double* __restrict added = added_.data();
  for (int round = 0; round < rounds; ++round)
    for (std::size_t i = 0; i < length; ++i) values[i] = 0.5 * values[i] + added[i];
}

/// Each converges to twice what is added.
bool SpeedKernel::is_right() const {
  return std::ranges::equal(values_, added_, [](double value, double added) {
    return std::abs(value - 2 * added) <= 1e-12 * added;
  });
}

}  // namespace loadshare::tool
