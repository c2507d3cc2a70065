// Intervals hold what they say: many loops whose cost is known are run, recorded, fitted and predicted in
// virtual time, and it is counted how many further runs lie in their intervals of 9 in 10.
#include <gmock/gmock.h>

#include <cstdlib>

#include "tests/models/farm/made_loops.hpp"

namespace loadshare::predictor {
namespace {

/// A hundred in the suite; the long trial has them from its command line (CMakeLists.txt).
std::uint64_t truths() {
  const char* asked = std::getenv("LOADSHARE_TRUTHS");
  return asked ? std::strtoull(asked, nullptr, 10) : 100;
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

TEST(CoverageTest, IntervalsHoldNineOfTenRuns) {
  std::uint64_t covered = 0, all = 0;
  for (const std::string& shape : test::loop_shapes()) {
    std::uint64_t of_shape = 0;
    const std::uint64_t count = truths() / test::loop_shapes().size();
    for (std::uint64_t i = 0; i < count; ++i) of_shape += is_covered(shape, 1000 * all + i) ? 1 : 0;
    std::printf("%-12s %5.1f %% of %d\n", shape.c_str(),
                100.0 * static_cast<double>(of_shape) / static_cast<double>(count), static_cast<int>(count));
    covered += of_shape, all += count;
  }
  const double share = static_cast<double>(covered) / static_cast<double>(all);
  const double chance = 3 * std::sqrt(0.9 * 0.1 / static_cast<double>(all));
  EXPECT_GE(share, std::min(0.87, 0.9 - chance));
  EXPECT_LE(share, std::max(0.93, 0.9 + chance));
}

}  // namespace
}  // namespace loadshare::predictor
