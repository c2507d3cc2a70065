#pragma once

#include <random>

namespace loadshare::predictor {

/// A number in [0, 1), the same with every standard library.
inline double fraction(std::mt19937_64& random) {
  return static_cast<double>(random() >> 11) * 0x1p-53;
}

/// A number of mean 0 and deviation 1: a sum of twelve, close enough to a normal distribution here, and the
/// same with every standard library.
inline double normal(std::mt19937_64& random) {
  double sum = -6;
  for (int i = 0; i < 12; ++i) sum += fraction(random);
  return sum;
}

}  // namespace loadshare::predictor
