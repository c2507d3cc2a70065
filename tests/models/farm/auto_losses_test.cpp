#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <memory>

#include "models/farm/auto_scheduler.hpp"
#include "tests/runtime/dispatch/lossy_farm.hpp"

namespace loadshare::predictor {
namespace {

test::LossyFarm::Result run(const test::LossyFarm::Setup& setup) {
  static const SchedulerTable table = built_in_schedulers();
  const LoopFacts loop{static_cast<Index>(setup.costs.size()), static_cast<Index>(setup.lost_at_s.size())};
  ChoiceRecord choice;
  return test::LossyFarm(setup, std::make_unique<AutoScheduler>(
                                    table, loop, AutoScheduler::Parameters{}, [] { return 0.0; }, choice))
      .run();
}

// tests/runtime/dispatch/crash_limit_test.cpp contains the same for fixed techniques.

TEST(AutoUnderLosses, RandomLossesConvictNoIteration) {
  for (std::uint64_t seed = 0; seed < 1000; seed += 4) {  // it takes its time
    const test::LossyFarm::Setup setup = test::draw_losses_at_random(seed);
    const auto result = run(setup);
    EXPECT_EQ(result.ending, Ending::finished) << "seed " << seed;
    EXPECT_EQ(result.committed, static_cast<Index>(setup.costs.size())) << "seed " << seed;
  }
}

TEST(AutoUnderLosses, ADeadlyIterationIsNamedExactly) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const test::LossyFarm::Setup setup = test::draw_deadly_iteration(seed);
    const auto result = run(setup);
    ASSERT_EQ(result.ending, Ending::culprit) << "seed " << seed;
    EXPECT_EQ(result.where, (Chunk{*setup.deadly, 1})) << "seed " << seed;
    EXPECT_LE(result.processes_lost, 3 + std::log2(static_cast<double>(result.first_lost_chunk)))
        << "seed " << seed;
  }
}

}  // namespace
}  // namespace loadshare::predictor
