#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "schedulers/table.hpp"
#include "tests/runtime/dispatch/lossy_farm.hpp"

namespace loadshare {
namespace {

test::LossyFarm::Result run(const test::LossyFarm::Setup& setup, const std::string& technique) {
  const LoopFacts loop{static_cast<Index>(setup.costs.size()), static_cast<Index>(setup.lost_at_s.size())};
  return test::LossyFarm(setup, built_in_schedulers().make(technique, loop)).run();
}

class CrashLimit : public ::testing::TestWithParam<std::string> {};

TEST_P(CrashLimit, LossesInABurstConvictNothing) {
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    const auto result = run(test::draw_losses_in_a_burst(seed), GetParam());
    EXPECT_EQ(result.ending, Ending::finished) << "seed " << seed;
  }
}

TEST_P(CrashLimit, LossesAtRandomConvictNothing) {
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    const test::LossyFarm::Setup setup = test::draw_losses_at_random(seed);
    const auto result = run(setup, GetParam());
    EXPECT_EQ(result.ending, Ending::finished) << "seed " << seed;
    EXPECT_EQ(result.committed, static_cast<Index>(setup.costs.size())) << "seed " << seed;
  }
}

TEST_P(CrashLimit, ADeadlyIterationIsNamedExactly) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const test::LossyFarm::Setup setup = test::draw_deadly_iteration(seed);
    const auto result = run(setup, GetParam());
    ASSERT_EQ(result.ending, Ending::culprit) << "seed " << seed;
    EXPECT_EQ(result.where, (Chunk{*setup.deadly, 1})) << "seed " << seed;
    EXPECT_EQ(result.committed, static_cast<Index>(setup.costs.size()) - 1) << "it ran last";
    EXPECT_LE(result.processes_lost, 3 + std::log2(static_cast<double>(result.first_lost_chunk)))
        << "seed " << seed << ", " << setup.costs.size() << " iterations, chunk " << result.first_lost_chunk;
  }
}

INSTANTIATE_TEST_SUITE_P(Techniques, CrashLimit, ::testing::Values("gss", "factoring", "ss"));

}  // namespace
}  // namespace loadshare
