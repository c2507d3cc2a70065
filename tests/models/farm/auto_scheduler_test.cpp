#include "models/farm/auto_scheduler.hpp"

#include <gmock/gmock.h>

#include "models/farm/farm_simulation.hpp"
#include "schedulers/adaptive.hpp"
#include "tests/schedulers/sequence.hpp"

namespace loadshare::predictor {
namespace {

/// Workers beside whom a message costs nothing.
Scenario near_workers(Index iterations, const std::vector<double>& speeds) {
  Scenario scenario;
  scenario.loop = LoopCost::uniform(iterations, 0.01);
  for (const double speed : speeds) {
    WorkerModel worker;
    worker.speed = speed;
    scenario.workers.push_back(worker);
  }
  return scenario;
}

/// A run in virtual time under `auto`; choosing takes no time there.
ChoiceRecord choice_in(const Scenario& scenario, const SchedulerTable& table, Outcome& outcome) {
  ChoiceRecord choice;
  outcome = FarmSimulation(scenario, std::make_unique<AutoScheduler>(
                                         table, facts_of(scenario), AutoScheduler::Parameters{},
                                         [] { return 0.0; }, choice))
                .run();
  return choice;
}

double best_s(const Scenario& scenario, const SchedulerTable& table) {
  double best = 1e9;
  for (const std::string& spec : table.candidates(facts_of(scenario)))
    best = std::min(best, FarmSimulation(scenario, table.make(spec, facts_of(scenario))).run().makespan_s);
  return best;
}

TEST(AutoSchedulerTest, IsNearlyAsGoodAsTheBestOfAll) {
  const SchedulerTable table = built_in_schedulers();
  const Scenario scenario = near_workers(4000, {1, 1, 1, 0.3, 0.1});
  Outcome outcome;
  const ChoiceRecord choice = choice_in(scenario, table, outcome);
  EXPECT_LT(outcome.makespan_s, 1.02 * best_s(scenario, table));
  EXPECT_EQ(choice.tried, choice.candidates);
  EXPECT_FALSE(choice.scheduler.empty());
  EXPECT_THAT(choice.level, testing::Contains(choice.scheduler));
  Index iterations = 0;
  for (const WorkerOutcome& worker : outcome.workers) iterations += worker.iterations;
  EXPECT_EQ(iterations, 4000);
}

TEST(AutoSchedulerTest, ChoosesTheSimplestOfATie) {
  const SchedulerTable table = built_in_schedulers();
  Outcome outcome;
  const ChoiceRecord choice = choice_in(near_workers(100'000, {1, 1}), table, outcome);
  ASSERT_GT(choice.level.size(), 1);
  EXPECT_THAT(choice.scheduler, testing::StartsWith("send:"));
}

TEST(AutoSchedulerTest, KeepsToItsBudget) {
  const SchedulerTable table = built_in_schedulers();
  const Scenario scenario = near_workers(4000, {1, 1});
  ChoiceRecord choice;
  double clock_s = 0;
  // Every look at the clock takes 10 ms: of some 20 s of run 0.2 s may go into choosing.
  AutoScheduler scheduler(
      table, facts_of(scenario), {}, [&clock_s] { return clock_s += 0.01; }, choice);
  std::vector<Index> sizes;
  for (Index remaining = 4000; choice.scheduler.empty();) {
    const WorkerId worker{static_cast<std::uint32_t>(sizes.size() % 2)};
    const Index size = test::next_size(scheduler, worker, remaining);
    scheduler.completed({worker,
                         {4000 - remaining, size},
                         0.01 * static_cast<double>(size),
                         0.01 * static_cast<double>(size)});
    remaining -= size;
    sizes.push_back(size);
  }
  EXPECT_LT(choice.tried, choice.candidates);
  EXPECT_GE(choice.tried, 1);
  EXPECT_NEAR(choice.budget_s, 0.2, 0.02);
  EXPECT_LE(choice.choosing_s, choice.budget_s + 0.02);  // two looks after the last that was in time
}

TEST(AutoSchedulerTest, WhatItChoosesBeginsWithWhatWasLearned) {
  SchedulerTable table;
  SchedulerEntry entry = adaptive_entry();
  entry.candidates = [](const LoopFacts&) { return std::vector<std::string>{"adaptive:size=10,max=30"}; };
  table.add(entry);
  const Learned before{{150, 50}};
  ChoiceRecord choice;
  AutoScheduler scheduler(
      table, {4000, 2, before}, {}, [] { return 0.0; }, choice);
  EXPECT_EQ(scheduler.learned().rates, before.rates) << "nothing was chosen yet";
  for (const std::uint32_t worker : {0u, 1u}) {
    const Index size = test::next_size(scheduler, WorkerId{worker}, 4000);
    scheduler.completed({WorkerId{worker}, {0, size}, 1.0, 1.0});
  }
  EXPECT_EQ(test::next_size(scheduler, WorkerId{0}, 3900), 15);
  EXPECT_EQ(choice.scheduler, "adaptive:max=30,size=10");
  scheduler.completed({WorkerId{1}, {0, 300}, 1.0, 1.0});
  EXPECT_EQ(scheduler.learned().rates, (std::vector<double>{150, 300}));
}

TEST(AutoSchedulerTest, MayEndBeforeItHasChosen) {
  const SchedulerTable table = built_in_schedulers();
  Outcome outcome;
  const ChoiceRecord choice = choice_in(near_workers(2, {1, 1, 1}), table, outcome);
  EXPECT_EQ(choice.scheduler, "");
  EXPECT_EQ(outcome.chunks, 2);
}

/// Two workers that need messages, of which one tells its speed behind the shared input.
Observations far_workers(std::size_t prefetch) {
  Observations seen(2, {.prefetch = prefetch, .input_each = 500, .result_each = 500, .shared_bytes = 1e6});
  for (const std::uint32_t worker : {0u, 1u}) {
    seen.given(WorkerId{worker}, 1, 10);
    seen.completed({WorkerId{worker}, {worker, 1}, 0.5, 0.25, {}});  // the input was there by 10.5
    seen.completed({WorkerId{worker}, {2 + worker, 1}, 0.011, 0.01, {}});
  }
  return seen;
}

TEST(ObservationsTest, TellBandwidthByTheSharedInput) {
  const Scenario scenario = far_workers(0).scenario(100, 1e6);
  EXPECT_EQ(scenario.bytes.input_each, 500);
  EXPECT_DOUBLE_EQ(scenario.links[0]->port_s(1e6), 0.5);
  EXPECT_NEAR(scenario.workers[0].speed, 100, 1e-9);
  // What is beside computing: 1 ms, of which the iteration's 1000 bytes take half.
  using communication::ReceivePosted, communication::SendMode;
  EXPECT_NEAR(scenario.links[0]->receiver_s(SendMode::standard, ReceivePosted::before, 0), 0.25e-3, 1e-9);
}

TEST(ObservationsTest, WorkersWithQueuesNeedMessagesToo) {
  const Scenario scenario = far_workers(1).scenario(100, 11);
  EXPECT_EQ(scenario.prefetch, 1);
  EXPECT_TRUE(scenario.workers[0].link);
}

TEST(ObservationsTest, TakeAChunkThatWasNotTimedByItsResponse) {
  Observations seen(1, {});
  seen.completed({WorkerId{0}, {0, 10}, 0.1, {}, {}});
  EXPECT_NEAR(seen.scenario(100).workers[0].speed, 100, 1e-9);
}

// Where workers come over a network, more may than were expected.
TEST(ObservationsTest, TakeWhoWasNotExpected) {
  Observations seen(1, {});
  const WorkerId late{7};
  EXPECT_FALSE(seen.was_given(late));
  seen.given(late, 5, 1);
  EXPECT_TRUE(seen.was_given(late));
  seen.completed({late, {0, 10}, 0.1, {}, {}});
  EXPECT_EQ(seen.workers(), 8u);
  EXPECT_NEAR(seen.scenario(100).workers[7].speed, 100, 1e-9);
}

/// Feeds what a run in virtual time tells, and says how far off the forecast end is when half is done.
double error_half_way(const Scenario& scenario, const std::string& spec) {
  const SchedulerTable table = built_in_schedulers();
  std::vector<ChunkRecord> chunks;
  FarmSimulation simulation(scenario, table.make(spec, facts_of(scenario)));
  simulation.on_chunk([&](const ChunkRecord& chunk) { chunks.push_back(chunk); });
  const double makespan_s = simulation.run().makespan_s;
  Observations seen(scenario.workers.size(), {});
  Eta eta(table, spec, scenario.loop.iterations());
  Index done = 0;
  for (const ChunkRecord& chunk : chunks) {
    const double compute_s = chunk.ended_s - chunk.begun_s;
    seen.completed({chunk.worker, chunk.chunk, compute_s, compute_s, {}});
    done += chunk.chunk.size;
    if (2 * done < scenario.loop.iterations()) continue;
    eta.predict(seen, chunk.returned_s);
    return *eta.end_s(done, chunk.returned_s, chunk.returned_s) / makespan_s - 1;
  }
  return 1;
}

TEST(EtaTest, ForeseesTheLastChunks) {
  // The slow worker has the last chunk for a long time.
  EXPECT_NEAR(error_half_way(near_workers(1000, {1, 1, 0.1}), "send:20"), 0, 0.01);
  EXPECT_NEAR(error_half_way(near_workers(1000, {1, 0.7, 0.4}), "gss:9"), 0, 0.01);
}

TEST(EtaTest, SaysNothingBeforeItKnowsAnything) {
  const SchedulerTable table = built_in_schedulers();
  Eta eta(table, "gss", 100);
  eta.predict(Observations(2, {}), 0);
  EXPECT_EQ(eta.end_s(0, 0, 0), std::nullopt);
}

}  // namespace
}  // namespace loadshare::predictor
