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

/// What is told where nothing was off: 2 % counts for two techniques.
double told_of_none(double techniques) {
  return 0.02 * std::sqrt(2 / (2 + techniques)) *
         students_t_over_normal(static_cast<std::size_t>(2 + techniques));
}

TEST(BacktestTest, ForetellsLittleDeviationWhereTechniquesForetellEachOther) {
  const test::MadeLoop made = even_loop();
  const auto deviation = deviation_of(made, {made.record("send:4", 1), made.record("send:10", 2)});
  ASSERT_TRUE(deviation);
  EXPECT_NEAR(*deviation, told_of_none(2), 0.005);
}

TEST(BacktestTest, FindsWhatTheModelDoesNotHave) {
  const test::MadeLoop made = even_loop();
  std::vector<RunRecord> runs{made.record("send:4", 1), made.record("send:10", 2)};
  runs[1].makespan_s *= 1.2;  // of something that no chunk tells
  const auto deviation = deviation_of(made, runs);
  ASSERT_TRUE(deviation);
  const double squares = 2 * 0.02 * 0.02 + std::log(1.2) * std::log(1.2);
  EXPECT_NEAR(*deviation, std::sqrt(squares / 4) * students_t_over_normal(4), 0.01);
}

TEST(BacktestTest, HoldsOutGroupsOfManyTechniques) {
  const test::MadeLoop made = even_loop();
  std::vector<RunRecord> runs;
  for (const char* spec : {"send:4", "send:5", "send:8", "send:10", "send:20", "fac2"})
    runs.push_back(made.record(spec, runs.size()));
  const auto deviation = deviation_of(made, runs);
  ASSERT_TRUE(deviation);
  EXPECT_NEAR(*deviation, told_of_none(6), 0.005);
}

TEST(BacktestTest, TellsNothingWhereNothingCanBeHeldOut) {
  const test::MadeLoop made = even_loop();
  EXPECT_FALSE(deviation_of(made, {}));
  EXPECT_FALSE(deviation_of(made, {made.record("send:4", 1), made.record("send:4", 2)}));
  std::vector<RunRecord> runs{made.record("send:4", 1), made.record("send:10", 2)};
  EXPECT_FALSE(held_out_deviation(runs, [](const RunRecord&) { return std::nullopt; }));
  runs[1].scheduler = "mine:3";
  EXPECT_FALSE(deviation_of(made, runs));
}

}  // namespace
}  // namespace loadshare::predictor
