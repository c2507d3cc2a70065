#include "models/farm/backtest.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/models/farm/made_loops.hpp"

namespace loadshare::predictor {
namespace {

test::MadeLoop even_loop() {
  test::MadeLoop made;
  made.costs_s.assign(400, 1e-3);
  made.chunk_deviation = 0.001;
  return made;
}

std::optional<double> deviation_of(const test::MadeLoop& made, const std::vector<RunRecord>& runs) {
  return held_out_deviation(runs, [&made](const RunRecord&) {
    return RunPlace{made.setting(), [](auto&&...) { return nullptr; }};
  });
}

/// The result for techniques with these errors, squared and summed: 2 % counts as two techniques more.
double told_of(double squares, std::size_t techniques) {
  const auto all = static_cast<double>(techniques), own = all - 1;
  return std::sqrt((2 * 0.02 * 0.02 + squares * own / all) / (2 + own)) *
         students_t_over_normal(1 + techniques);
}

double squared(double value) {
  return value * value;
}

TEST(BacktestTest, IsUsualIfTechniquesPredictEachOther) {
  const test::MadeLoop made = even_loop();
  const auto deviation = deviation_of(made, {made.record("send:4", 1), made.record("send:10", 2)});
  ASSERT_TRUE(deviation);
  EXPECT_NEAR(*deviation, told_of(0, 2), 0.004);
}

// An effect that no chunk shows: each of the two predictions is off by it, in opposite directions.
TEST(BacktestTest, DetectsAnEffectOutsideTheModel) {
  const test::MadeLoop made = even_loop();
  std::vector<RunRecord> runs{made.record("send:4", 1), made.record("send:10", 2)};
  for (RunRecord& run : runs) run.makespan_s *= 1.2;
  const auto deviation = deviation_of(made, runs);
  ASSERT_TRUE(deviation);
  EXPECT_NEAR(*deviation, told_of(2 * squared(std::log(1.2)), 2), 0.01);
}

TEST(BacktestTest, HoldsOutGroupsOfManyTechniques) {
  const test::MadeLoop made = even_loop();
  std::vector<RunRecord> runs;
  for (const char* spec : {"send:4", "send:5", "send:8", "send:10", "send:20", "fac2"})
    runs.push_back(made.record(spec, runs.size()));
  runs[4].makespan_s *= 1.2;
  const auto deviation = deviation_of(made, runs);
  ASSERT_TRUE(deviation);
  EXPECT_NEAR(*deviation, told_of(squared(std::log(1.2)), 6), 0.01);
}

// Different runs would be taken for errors of the prediction: they are far off.
TEST(BacktestTest, HoldsOutWholeRunsOfKnownTechniquesOnly) {
  const test::MadeLoop made = even_loop();
  std::vector<RunRecord> runs{made.record("send:4", 1), made.record("send:10", 2)};
  const auto deviation = deviation_of(made, runs);
  const auto add = [&](auto change) {
    RunRecord& run = runs.emplace_back(made.record("fac2", runs.size()));
    run.makespan_s *= 3;
    change(run);
  };
  add([](RunRecord& run) { run.choice.emplace(); });
  add([](RunRecord& run) { run.scheduler = "mine:3"; });
  add([](RunRecord& run) { run.chunks.clear(); });
  add([](RunRecord& run) { run.chunks.pop_back(); });
  add([](RunRecord& run) { run.membership.emplace(); });
  add([](RunRecord& run) { run.journal = JournalRecord{.recovered = 3}; });
  EXPECT_EQ(deviation_of(made, runs), deviation);
}

TEST(BacktestTest, IsUnknownIfNothingCanBeHeldOut) {
  const test::MadeLoop made = even_loop();
  EXPECT_FALSE(deviation_of(made, {}));
  EXPECT_FALSE(deviation_of(made, {made.record("send:4", 1), made.record("send:4", 2)}));
  const std::vector<RunRecord> runs{made.record("send:4", 1), made.record("send:10", 2)};
  EXPECT_FALSE(held_out_deviation(runs, [](const RunRecord&) { return std::nullopt; }));
}

}  // namespace
}  // namespace loadshare::predictor
