#include "models/farm/auto_scheduler.hpp"

#include <gmock/gmock.h>

#include "models/farm/farm_simulation.hpp"
#include "schedulers/send.hpp"
#include "tests/schedulers/sequence.hpp"

namespace loadshare::predictor {
namespace {

/// Workers that exchange messages without cost.
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

TEST(AutoSchedulerTest, KeepsItsFirstTechniqueIfNoOtherSavesMuch) {
  const SchedulerTable table = built_in_schedulers();
  Outcome outcome;
  const ChoiceRecord choice = choice_in(near_workers(100'000, {1, 1}), table, outcome);
  EXPECT_EQ(choice.scheduler, "steady");
  EXPECT_EQ(choice.tried, choice.candidates);
  EXPECT_NEAR(choice.predicted_s, outcome.makespan_s, 0.01 * outcome.makespan_s);
}

/// The notifications that a later technique has received.
struct Heard {
  int joined = 0;
  Index assigned = 0, first_remaining = 0;
  Learned learned;
};

class Eavesdropper final : public ChunkScheduler {
 public:
  Eavesdropper(Heard& heard, const LoopFacts& loop) : heard_(heard) { heard_ = {.learned = loop.learned}; }

  Cut next(const Request& request) override {
    if (heard_.first_remaining == 0) heard_.first_remaining = request.remaining;
    is_asked_ = true;
    return {std::min<Index>(5, request.remaining)};
  }
  void joined(WorkerId, const WorkerFacts&) override { ++heard_.joined; }
  void assigned(WorkerId, Chunk chunk) override { heard_.assigned += is_asked_ ? 0 : chunk.size; }

 private:
  Heard& heard_;
  bool is_asked_ = false;
};

/// Begins with chunks far too large for the second worker, and has one more technique, of 5 at a time.
SchedulerTable coarse_and_fine(Heard& heard) {
  SchedulerTable table;
  SchedulerEntry coarse = send_entry();
  coarse.candidates = [](const LoopFacts&) { return std::vector<std::string>{"send:400"}; };
  table.add(coarse);
  table.add({"fine", "", {}, [&heard](const SchedulerSpec&, const LoopFacts& loop) {
               return std::make_unique<Eavesdropper>(heard, loop);
             }});
  return table;
}

TEST(AutoSchedulerTest, ChangesToATechniqueThatSavesMuch) {
  Heard heard;
  const SchedulerTable table = coarse_and_fine(heard);
  const Scenario scenario = near_workers(4000, {1, 0.3});
  Outcome outcome;
  const ChoiceRecord choice = choice_in(scenario, table, outcome);
  EXPECT_EQ(choice.scheduler, "fine");
  const double coarse_s =
      FarmSimulation(scenario, table.make("send:400", facts_of(scenario))).run().makespan_s;
  EXPECT_LT(outcome.makespan_s, 0.95 * coarse_s);
  EXPECT_EQ(outcome.workers[0].iterations + outcome.workers[1].iterations, 4000);
}

// Long before half of the rest is given.
TEST(AutoSchedulerTest, ComparesAgainWhenTheFarmHasChangedByHalf) {
  const SchedulerTable table = built_in_schedulers();
  ChoiceRecord choice;
  int asked = 0;
  AutoScheduler scheduler(
      table, {100'000, 4}, {}, [&asked] { return ++asked, 0.0; }, choice);
  Index first = 0;
  const auto looks = [&](std::uint32_t worker) {
    const int before = asked;
    const Index size =
        scheduler.next({WorkerId{worker}, first, 100'000 - first, 0, 4, 1e-3 * static_cast<double>(first)})
            .size;
    scheduler.assigned(WorkerId{worker}, {first, size});
    scheduler.completed({WorkerId{worker}, {first, size}, 1e-3 * static_cast<double>(size), {}, {}});
    first += size;
    return asked > before;
  };
  const auto join = [&](std::uint32_t worker) { scheduler.joined(WorkerId{worker}, {}); };
  for (std::uint32_t worker = 0; worker < 4; ++worker) join(worker);
  for (std::uint32_t worker = 0; worker < 4; ++worker) EXPECT_FALSE(looks(worker)) << "it knows too little";
  EXPECT_TRUE(looks(0)) << "all speeds are known";
  join(4);
  EXPECT_FALSE(looks(4)) << "a quarter more";
  join(5);
  EXPECT_TRUE(looks(5));
  EXPECT_FALSE(looks(0));
  for (std::uint32_t worker = 1; worker < 4; ++worker) scheduler.left(WorkerId{worker});
  EXPECT_TRUE(looks(0)) << "half are left";
  EXPECT_EQ(choice.tried, choice.candidates);
}

// Three chunks are out when more than a quarter of the loop is given; the first has come back.
TEST(AutoSchedulerTest, InformsTheNextTechniqueOfThePast) {
  Heard heard;
  const SchedulerTable table = coarse_and_fine(heard);
  ChoiceRecord choice;
  AutoScheduler scheduler(
      table, {4000, 2}, {}, [] { return 0.0; }, choice);
  scheduler.joined(WorkerId{0}, {});
  scheduler.joined(WorkerId{1}, {});
  Index first = 0;
  for (const std::uint32_t worker : {0u, 1u, 0u}) {
    const Index size = scheduler.next({WorkerId{worker}, first, 4000 - first, 0, 2}).size;
    EXPECT_EQ(size, 400);
    scheduler.assigned(WorkerId{worker}, {first, size});
    if (first == 0) scheduler.completed({WorkerId{0}, {0, 400}, 4.0, 4.0, {}});
    first += size;
  }
  EXPECT_EQ(scheduler.next({WorkerId{0}, first, 4000 - first, 800, 2, 40.0}).size, 5);
  EXPECT_EQ(choice.scheduler, "fine");
  EXPECT_EQ(heard.joined, 2);
  EXPECT_EQ(heard.assigned, 800);
  EXPECT_EQ(heard.first_remaining, 2800);
  EXPECT_EQ(heard.learned.rates, (std::vector<double>{100, 0}));
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
  for (Index remaining = 4000; choice.candidates == 0;) {
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

TEST(AutoSchedulerTest, BeginsWithLearnedSpeeds) {
  const SchedulerTable table = built_in_schedulers();
  ChoiceRecord choice;
  AutoScheduler scheduler(
      table, {4000, 2, {{150, 50}}}, {}, [] { return 0.0; }, choice);
  scheduler.joined(WorkerId{0}, {});
  scheduler.joined(WorkerId{1}, {});
  EXPECT_EQ(scheduler.learned().rates, (std::vector<double>{150, 50}));
  EXPECT_EQ(test::next_size(scheduler, WorkerId{0}, 4000), 1500);  // half of its share, as steady has it
}

/// A run by chunks of 400, as its record has it.
std::shared_ptr<const RunRecord> record_of(const Scenario& scenario) {
  RunRecord run;
  FarmSimulation simulation(scenario, send_entry().make({"send", {{"size", "400"}}}, facts_of(scenario)));
  simulation.on_chunk([&run](const ChunkRecord& chunk) { run.chunks.push_back(chunk); });
  run.makespan_s = simulation.run().makespan_s;
  return std::make_shared<const RunRecord>(std::move(run));
}

TEST(AutoSchedulerTest, BeginsWithTheBestTechniqueOfAnEarlierRun) {
  Heard heard;
  const SchedulerTable table = coarse_and_fine(heard);
  const Scenario scenario = near_workers(4000, {1, 0.3});
  ChoiceRecord choice;
  AutoScheduler scheduler(
      table, facts_of(scenario), {.earlier = record_of(scenario)}, [] { return 0.0; }, choice);
  EXPECT_EQ(choice.scheduler, "fine");
  EXPECT_EQ(choice.survey_s, 0);
  EXPECT_EQ(choice.tried, 2);
  EXPECT_EQ(test::next_size(scheduler, WorkerId{0}, 4000), 5);
  ASSERT_EQ(heard.learned.rates.size(), 2u);
  EXPECT_NEAR(heard.learned.rates[0] / heard.learned.rates[1], 1 / 0.3, 1e-6);
}

TEST(AutoSchedulerTest, AnEarlierRunMakesTrialChunksUnnecessary) {
  const SchedulerTable table = built_in_schedulers();
  const Scenario scenario = near_workers(4000, {1, 1});
  ChoiceRecord choice;
  AutoScheduler scheduler(
      table, facts_of(scenario), {.earlier = record_of(scenario)}, [] { return 0.0; }, choice);
  scheduler.joined(WorkerId{0}, {});
  scheduler.joined(WorkerId{1}, {});
  EXPECT_GT(test::next_size(scheduler, WorkerId{0}, 4000),
            500);  // steady's first chunks without knowledge are an eighth of a share
}

TEST(AutoSchedulerTest, IgnoresAnIncompleteEarlierRun) {
  auto run = std::make_shared<RunRecord>();
  run->chunks.push_back({{0, 400}, WorkerId{0}, 0, 0, 0, 4, 4, 4});
  const SchedulerTable table = built_in_schedulers();
  ChoiceRecord choice;
  const AutoScheduler scheduler(
      table, {4000, 2}, {.earlier = run}, [] { return 0.0; }, choice);
  EXPECT_EQ(choice.scheduler, "steady");
  EXPECT_EQ(choice.tried, 0);
}

TEST(AutoSchedulerTest, SpeedsOfHostsAreWeights) {
  const SchedulerTable table = built_in_schedulers();
  ChoiceRecord choice;
  AutoScheduler scheduler(
      table, {4000, 3}, {.speeds = {3, 0, 1}}, [] { return 0.0; }, choice);
  for (const std::uint32_t worker : {0u, 1u, 2u}) scheduler.joined(WorkerId{worker}, {});
  EXPECT_EQ(test::next_size(scheduler, WorkerId{0}, 4000),
            250);  // 4000 / 8 * 3 / 6; the second is as the mean, 2
}

TEST(AutoSchedulerTest, KeepsItsFirstTechniqueInAShortRun) {
  const SchedulerTable table = built_in_schedulers();
  Outcome outcome;
  const ChoiceRecord choice = choice_in(near_workers(2, {1, 1, 1}), table, outcome);
  EXPECT_EQ(choice.scheduler, "steady");
  EXPECT_EQ(choice.tried, 0);
  EXPECT_EQ(outcome.chunks, 2);
}

/// Two workers that need messages; the times of one, after the shared input, show its speed.
Observations far_workers(std::size_t prefetch) {
  Observations seen(2, {.prefetch = prefetch, .input_each = 500, .result_each = 500, .shared_bytes = 1e6});
  for (const std::uint32_t worker : {0u, 1u}) {
    seen.given(WorkerId{worker}, 1, 10);
    seen.completed({WorkerId{worker}, {worker, 1}, 0.5, 0.25, {}});  // the input was there by 10.5
    seen.completed({WorkerId{worker}, {2 + worker, 1}, 0.011, 0.01, {}});
  }
  return seen;
}

TEST(ObservationsTest, DeriveTheBandwidthFromTheSharedInput) {
  const Scenario scenario = far_workers(0).scenario(100, 1e6);
  EXPECT_EQ(scenario.bytes.input_each, 500);
  EXPECT_DOUBLE_EQ(scenario.links[0]->port_s(1e6), 0.5);
  EXPECT_NEAR(scenario.loop.total_s() / scenario.workers[0].speed, 1, 1e-3);
  // The time besides computing is 1 ms, of which the iteration's 1000 bytes take half.
  using communication::ReceivePosted, communication::SendMode;
  EXPECT_NEAR(scenario.links[0]->receiver_s(SendMode::standard, ReceivePosted::before, 0), 0.25e-3, 1e-9);
}

// A vector of 4 KB was there long before the first chunks were computed: else an iteration would seem to take
// 0.2 s of the wire.
TEST(ObservationsTest, DeriveNoBandwidthFromAnEarlyInput) {
  Observations seen(2, {.input_each = 4000, .result_each = 8, .shared_bytes = 4000});
  for (const std::uint32_t worker : {0u, 1u}) {
    seen.given(WorkerId{worker}, 20, 10);
    seen.completed({WorkerId{worker}, {20 * worker, 20}, 0.21, 0.2, 0.001});
    seen.completed({WorkerId{worker}, {40 + 20 * worker, 20}, 0.21, 0.2, {}});
  }
  const SchedulerTable table = built_in_schedulers();
  Eta eta(table, "send:20", 1000);
  eta.predict(seen, 10.42);
  EXPECT_NEAR(eta.end_s(80, 0.42, 0.42).value_or(0), 25 * 0.21, 0.3);
}

// Iteration i takes i ms, and the first tenth of them was seen.
TEST(ObservationsTest, DetectIterationsOfRisingCost) {
  Observations seen(2, {.iterations = 1000});
  for (std::uint32_t first = 0; first < 100; first += 5) {
    const double compute_s = 1e-3 * 5 * (first + 2);
    seen.completed({WorkerId{first / 5 % 2}, {first, 5}, compute_s, compute_s, {}});
  }
  const Scenario rest = seen.scenario(900);
  EXPECT_EQ(rest.loop.iterations(), 900);
  EXPECT_GT(rest.loop.seconds({0, 10}) / rest.workers[0].speed, 0.7);
}

TEST(ObservationsTest, WorkersWithQueuesNeedMessagesToo) {
  const Scenario scenario = far_workers(1).scenario(100, 11);
  EXPECT_EQ(scenario.prefetch, 1);
  EXPECT_TRUE(scenario.workers[0].link);
}

TEST(ObservationsTest, UseTheResponseTimeOfAnUntimedChunk) {
  Observations seen(1, {});
  seen.completed({WorkerId{0}, {0, 10}, 0.1, {}, {}});
  const Scenario scenario = seen.scenario(100);
  EXPECT_NEAR(scenario.loop.total_s() / scenario.workers[0].speed, 1, 1e-6);
}

// If workers join over a network, there may be more than expected.
TEST(ObservationsTest, AcceptAnUnexpectedWorker) {
  Observations seen(1, {});
  const WorkerId late{7};
  EXPECT_FALSE(seen.was_given(late));
  seen.given(late, 5, 1);
  EXPECT_TRUE(seen.was_given(late));
  seen.completed({late, {0, 10}, 0.1, {}, {}});
  EXPECT_EQ(seen.workers(), 8u);
  EXPECT_NEAR(seen.scenario(100).workers[7].speed, 100, 1e-9);
}

/// Observes a run in virtual time. Returns the error of the forecast end when half is done.
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

TEST(EtaTest, PredictsTheLastChunks) {
  // The slow worker has the last chunk for a long time.
  EXPECT_NEAR(error_half_way(near_workers(1000, {1, 1, 0.1}), "send:20"), 0, 0.01);
  EXPECT_NEAR(error_half_way(near_workers(1000, {1, 0.7, 0.4}), "gss:9"), 0, 0.01);
}

// Welford's squares about the mean of 15 ms: 10 (5 ms)^2 twice, and 0; over two degrees of freedom.
TEST(MeasuredTimesTest, AreMeansOverTheChunksOfAllWorkers) {
  RunRecord run;
  EXPECT_FALSE(measured_times(run));
  run.chunks = {
      {.chunk = {0, 10}, .worker = WorkerId{0}, .begun_s = 0.01, .ended_s = 0.11, .returned_s = 0.12},
      {.chunk = {10, 10}, .worker = WorkerId{1}, .begun_s = 0.01, .ended_s = 0.21, .returned_s = 0.22},
      {.chunk = {20, 20},
       .worker = WorkerId{0},
       .assigned_s = 0.12,
       .begun_s = 0.13,
       .ended_s = 0.93,
       .returned_s = 0.94,
       .waited_s = 0.5},
      {.chunk = {20, 20},
       .worker = WorkerId{1},
       .begun_s = 0.3,
       .ended_s = 9,
       .returned_s = 9.5,
       .is_duplicate = true}};
  const std::optional<LoopTimes> times = measured_times(run);
  ASSERT_TRUE(times);
  EXPECT_NEAR(times->mean_s, 0.015, 1e-12);
  EXPECT_NEAR(times->deviation_s, 0.0158114, 1e-7);
  EXPECT_NEAR(times->overhead_s, 0.02, 1e-12);
}

// Without the times that the run's own technique had, a technique for the forecast could not be created.
TEST(EtaTest, PassesTheRunsTimesToATechnique) {
  const SchedulerTable table = built_in_schedulers();
  Observations observations(2, {.iterations = 100});
  for (const std::uint32_t worker : {0u, 1u}) {
    observations.given(WorkerId{worker}, 10, 0);
    observations.completed({WorkerId{worker}, {10 * worker, 10}, 0.1, 0.1, {}});
  }
  Eta eta(table, "fac", 100, LoopTimes{.mean_s = 0.01, .deviation_s = 0.001});
  eta.predict(observations, 0.1);
  EXPECT_TRUE(eta.end_s(20, 0.1, 0.1));
}

TEST(EtaTest, IsEmptyWithoutObservations) {
  const SchedulerTable table = built_in_schedulers();
  Eta eta(table, "gss", 100);
  eta.predict(Observations(2, {}), 0);
  EXPECT_EQ(eta.end_s(0, 0, 0), std::nullopt);
}

}  // namespace
}  // namespace loadshare::predictor
