// Intervals hold what they say: many loops whose cost is known are run, recorded, fitted and predicted in
// virtual time, and it is counted how many further runs lie in their intervals of 9 in 10.
#include <gmock/gmock.h>

#include <cstdlib>
#include <iostream>

#include "tests/models/farm/made_loops.hpp"

namespace loadshare::predictor {
namespace {

/// Of each shape a dozen in the suite; the long trial has more (CMakeLists.txt).
std::uint64_t truths_a_shape() {
  const char* asked = std::getenv("LOADSHARE_TRUTHS");
  return asked ? std::strtoull(asked, nullptr, 10) : 12;
}

const std::string& one_of(const std::vector<std::string>& all, std::mt19937_64& random) {
  return all[random() % all.size()];
}

const std::vector<std::string>& techniques() {
  static const std::vector<std::string> all{"send:1", "send:8", "gss", "factoring", "tss", "fac2", "static"};
  return all;
}

test::MadeLoop drawn_loop(const std::string& shape, std::mt19937_64& random) {
  test::MadeLoop made;
  made.costs_s = test::loop_of_shape(shape, 150 + random() % 1000, random);
  made.workers = std::size_t{2} << random() % 3;
  made.chunk_deviation = 0.015 * std::exp(0.5 * normal(random));
  if (fraction(random) < 0.1) made.narrow = std::exp(0.5 + 0.5 * normal(random)) - 1;
  return made;
}

/// Whether a run of another technique lies in what is predicted from one of the first.
bool is_covered(const std::string& shape, std::uint64_t number) {
  std::mt19937_64 random(split_mix::mix(number));
  const test::MadeLoop made = drawn_loop(shape, random);
  const std::string from = one_of(techniques(), random), to = one_of(techniques(), random);
  const Prediction told = made.predicted({made.record(from, number)}, to, 30);
  const double run_s = made.record(to, ~number, std::exp(made.run_deviation * normal(random))).makespan_s;
  return told.low_s <= run_s && run_s <= told.high_s;
}

/// Of so many the share whose run is in its interval, which is printed.
double share_covered(const std::string& shape, std::uint64_t count) {
  std::uint64_t covered = 0;
  for (std::uint64_t number = 0; number < count; ++number)
    covered += is_covered(shape, hash_of(shape) + number) ? 1 : 0;
  const double share = static_cast<double>(covered) / static_cast<double>(count);
  std::cout << shape << ": " << 100 * share << " % of " << count << '\n';
  return share;
}

TEST(CoverageTest, IntervalsHoldNineOfTenRuns) {
  const std::uint64_t count = truths_a_shape();
  double sum = 0;
  for (const std::string& shape : test::loop_shapes()) sum += share_covered(shape, count);
  const auto shapes = static_cast<double>(test::loop_shapes().size());
  const double chance = 3 * std::sqrt(0.9 * 0.1 / (shapes * static_cast<double>(count)));
  EXPECT_GE(sum / shapes, std::min(0.87, 0.9 - chance));
  EXPECT_LE(sum / shapes, std::max(0.93, 0.9 + chance));
}

}  // namespace
}  // namespace loadshare::predictor
