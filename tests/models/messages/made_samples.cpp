#include "tests/models/messages/made_samples.hpp"

#include <algorithm>
#include <cmath>
#include <random>

namespace loadshare::communication::test {
namespace {

// The standard's distributions differ between libraries; its engine does not.
double uniform(std::mt19937& random) {
  return (static_cast<double>(random()) + 0.5) / 4294967296.0;
}

double normal(std::mt19937& random) {
  double sum = -6;
  for (int i = 0; i < 12; ++i) sum += uniform(random);
  return sum;
}

}  // namespace

std::vector<Sample> made_samples(const std::function<double(double)>& truth_s, const Making& making) {
  std::mt19937 random(making.seed);
  const double step = std::log(making.last_size / making.first_size) / (making.sizes - 1);
  std::vector<Sample> samples;
  for (int i = 0; i < making.sizes; ++i) {
    const bool is_end = i == 0 || i == making.sizes - 1;
    const double at = i + (is_end ? 0 : 0.8 * (uniform(random) - 0.5));
    const double size = std::round(making.first_size * std::exp(step * at));
    for (int k = 0; k < making.repetitions; ++k) {
      const double factor = uniform(random) < making.tenfold ? 10 : 1;
      samples.push_back({size, factor * truth_s(size) * std::exp(making.noise * normal(random))});
    }
  }
  return samples;
}

std::vector<double> relative_errors(const Curve& curve, const std::function<double(double)>& truth_s,
                                    const Making& making) {
  constexpr int count = 1000;
  std::vector<double> errors;
  for (int i = 0; i <= count; ++i) {
    const double size = making.first_size * std::pow(making.last_size / making.first_size, double(i) / count);
    errors.push_back(std::abs(curve.seconds(size) / truth_s(size) - 1));
  }
  std::ranges::sort(errors);
  return errors;
}

}  // namespace loadshare::communication::test
