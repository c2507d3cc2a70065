#include "program/forecast.hpp"

#include <gmock/gmock.h>

#include "tests/error_of.hpp"
#include "tests/schedulers/sequence.hpp"

namespace loadshare {
namespace {

using testing::HasSubstr;

const LoopFacts loop{100, 2};

/// So many of its iterations are committed.
LoopProgress at(double now_s, Index committed) {
  return {.now_s = now_s, .done = committed, .committed = committed, .iterations = 100, .in_work = {}};
}

/// Two workers that take 10 ms an iteration, and have done chunks of 10 each.
void let_two_chunks_be_done(ChunkScheduler& scheduler) {
  for (const std::uint32_t worker : {0u, 1u}) {
    const Index size = test::next_size(scheduler, WorkerId{worker}, 100 - 10 * worker);
    ASSERT_EQ(size, 10);
    scheduler.completed({WorkerId{worker}, {10 * worker, size}, 0.1, 0.1, {}});
  }
}

TEST(RunForecastTest, PredictsTheEndFromReturnedChunks) {
  RunForecast forecast;
  const SchedulerTable table = forecast.schedulers();
  const auto scheduler = table.make("send:10", loop);
  EXPECT_EQ(forecast.remaining_s(at(0.3, 0)), std::nullopt);  // nothing is known yet
  let_two_chunks_be_done(*scheduler);
  const auto rest_s = forecast.remaining_s(at(0.3, 20));
  ASSERT_TRUE(rest_s);
  EXPECT_NEAR(*rest_s, 0.4, 0.01);  // 80 iterations, two at a time
  RunRecord record;
  forecast.add_to(record);
  ASSERT_EQ(record.etas.size(), 1);
  EXPECT_EQ(record.etas[0].at_s, 0.3);
  EXPECT_NEAR(record.etas[0].makespan_s, 0.7, 0.01);
  EXPECT_EQ(record.choice, std::nullopt);
}

TEST(RunForecastTest, MakesNoForecastInTheFirstMoment) {
  RunForecast forecast;
  const SchedulerTable table = forecast.schedulers();
  const auto scheduler = table.make("send:10", loop);
  let_two_chunks_be_done(*scheduler);
  EXPECT_EQ(forecast.remaining_s(at(0.1, 20)), std::nullopt);
}

TEST(RunForecastTest, IsLateIfTheRunIsLate) {
  RunForecast forecast;
  const SchedulerTable table = forecast.schedulers();
  const auto scheduler = table.make("send:10", loop);
  let_two_chunks_be_done(*scheduler);
  const auto rest_s = forecast.remaining_s(at(0.3, 20));
  ASSERT_TRUE(rest_s);
  // A second on, no more is done: there is hardly less to do than before.
  EXPECT_GT(*forecast.remaining_s(at(1.3, 20)), *rest_s - 0.11);
}

/// All iterations are given, and worker 0 has computed the last 50 since the first second.
LoopProgress last_at(double now_s, Index done) {
  return {.now_s = now_s,
          .done = 50 + done,
          .committed = 50,
          .iterations = 100,
          .in_work = {{WorkerId{0}, {50, 50}, 1, done, 0}}};
}

/// A forecast of a run whose iterations took 10 ms, until its last chunk.
struct LateForecast {
  LateForecast() {
    let_two_chunks_be_done(*scheduler);
    forecast.remaining_s(at(0.3, 20));
  }

  RunForecast forecast;
  SchedulerTable table = forecast.schedulers();
  std::unique_ptr<ChunkScheduler> scheduler = table.make("send:10", loop);
};

TEST(RunForecastTest, ExpectsAChunkToTakeAsLongAsSimilarOnes) {
  LateForecast late;
  EXPECT_NEAR(*late.forecast.remaining_s(last_at(1.1, 0)), 0.4, 0.05);
}

TEST(RunForecastTest, IsNeverZeroWhileAChunkTakesLonger) {
  LateForecast late;
  EXPECT_NEAR(*late.forecast.remaining_s(last_at(5, 0)), 1, 0.01) << "it takes 4 s already";
  EXPECT_NEAR(*late.forecast.remaining_s(last_at(41, 0)), 10, 0.01);
}

TEST(RunForecastTest, FollowsTheProgressOfAChunk) {
  LateForecast late;
  EXPECT_NEAR(*late.forecast.remaining_s(last_at(5, 10)), 16, 0.01) << "10 of 50 in 4 s";
  EXPECT_NEAR(*late.forecast.remaining_s(last_at(6, 10)), 15, 0.01) << "it said nothing new";
  EXPECT_NEAR(*late.forecast.remaining_s(last_at(105, 10)), 25, 0.01) << "for 100 s: it is stuck";
}

TEST(RunForecastTest, ForgetsTheRunBefore) {
  RunForecast forecast;
  const SchedulerTable table = forecast.schedulers();
  table.make("auto", loop);
  let_two_chunks_be_done(*table.make("send:10", loop));
  ASSERT_TRUE(forecast.remaining_s(at(0.3, 20)));
  const auto next = table.make("send:10", loop);
  EXPECT_EQ(forecast.remaining_s(at(0.3, 0)), std::nullopt);
  RunRecord record;
  forecast.add_to(record);
  EXPECT_TRUE(record.etas.empty());
  EXPECT_EQ(record.choice, std::nullopt);
}

TEST(RunForecastTest, PassesOnLearnedData) {
  RunForecast forecast;
  const SchedulerTable table = forecast.schedulers();
  const auto scheduler = table.make("adaptive:10,1,40", loop);
  let_two_chunks_be_done(*scheduler);
  EXPECT_THAT(scheduler->learned().rates, testing::ElementsAre(100, 100));
  const auto next = table.make("adaptive:10,1,40", {100, 2, {{50, 150}}});
  EXPECT_EQ(test::next_size(*next, WorkerId{0}, 100), 5);
}

TEST(RunForecastTest, RecordsTheChoiceOfAuto) {
  RunForecast forecast;
  const SchedulerTable table = forecast.schedulers();
  const auto scheduler = table.make("auto:50", loop);  // a slow machine has time to try candidates
  Index remaining = 100;
  for (std::uint32_t turn = 0; remaining > 0; ++turn) {
    const WorkerId worker{turn % 2};
    const Index size = test::next_size(*scheduler, worker, remaining);
    const double compute_s = 0.1 * static_cast<double>(size);
    scheduler->completed({worker, {100 - remaining, size}, compute_s, compute_s, {}});
    remaining -= size;
  }
  RunRecord record;
  forecast.add_to(record);
  ASSERT_TRUE(record.choice);
  EXPECT_NE(record.choice->scheduler, "");
  EXPECT_GE(record.choice->tried, 1);
}

TEST(RunForecastTest, LimitsTheTimeOfChoosing) {
  RunForecast forecast;
  const SchedulerTable table = forecast.schedulers();
  EXPECT_NO_THROW(table.make("auto:50", loop));
  EXPECT_THAT(error_of([&] { table.make("auto:51", loop); }), HasSubstr("from 1 to 50"));
  EXPECT_THAT(RunForecast().schedulers().help(), HasSubstr("auto"));
}

}  // namespace
}  // namespace loadshare
