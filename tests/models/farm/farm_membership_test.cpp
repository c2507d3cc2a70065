// Workers that join and leave, in farms small enough to be followed by hand.
#include <gmock/gmock.h>

#include <array>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "models/farm/prediction.hpp"
#include "tests/error_of.hpp"
#include "tests/models/farm/small_farms.hpp"

namespace loadshare::predictor {
namespace {

using testing::HasSubstr;

constexpr double never_s = std::numeric_limits<double>::infinity();

Stay until(double time_s, Stay::End end) {
  return {0, time_s, end};
}

Stay from(double time_s) {
  return {time_s, never_s, Stay::End::leaves};
}

TEST(Membership, ALeavingWorkerFinishesItsChunkAndTheOtherDoesTheRest) {
  for (const std::size_t prefetch : {0u, 1u, 2u}) {
    Scenario scenario = near_farm(2, 20);
    scenario.prefetch = prefetch;
    scenario.workers[1].stay = until(5.5, Stay::End::leaves);
    const Outcome outcome = run(scenario, "send:1").outcome;
    EXPECT_DOUBLE_EQ(outcome.makespan_s, 6 + 8) << "twelve are done at 6";
    EXPECT_EQ(outcome.workers[1].iterations, 6);
    EXPECT_DOUBLE_EQ(outcome.stay_of(1).until_s, 6);
    EXPECT_EQ(outcome.lost_iterations, 0);
  }
}

TEST(Membership, ChunksOfALostWorkerAreComputedAgain) {
  for (const std::size_t prefetch : {0u, 1u, 2u}) {
    Scenario scenario = near_farm(2, 20);
    scenario.prefetch = prefetch;
    scenario.workers[1].stay = until(5.5, Stay::End::is_lost);
    const Outcome outcome = run(scenario, "send:1").outcome;
    EXPECT_DOUBLE_EQ(outcome.makespan_s, 15) << "five are of the lost one";
    EXPECT_EQ(outcome.workers[1].iterations, 5);
    EXPECT_DOUBLE_EQ(outcome.workers[1].computing_s, 5.5);
    EXPECT_EQ(outcome.lost_iterations, 1);
    EXPECT_DOUBLE_EQ(outcome.lost_s, 0.5);
  }
}

TEST(Membership, AJoiningWorkerTakesItsPart) {
  Scenario scenario = near_farm(2, 20);
  scenario.workers[1].stay = from(5.5);
  const Outcome outcome = run(scenario, "send:1").outcome;
  EXPECT_DOUBLE_EQ(outcome.makespan_s, 6 + 7) << "of the fourteen that nobody had, each computes seven";
  EXPECT_EQ(outcome.workers[1].iterations, 7);
  EXPECT_DOUBLE_EQ(outcome.workers[1].last_end_s, 12.5);
}

TEST(Membership, ALateWorkerGetsChunksThatOthersHaveQueued) {
  Scenario scenario = near_farm(2, 3);
  scenario.prefetch = 2;
  EXPECT_DOUBLE_EQ(run(near_farm(1, 3), "send:1").outcome.makespan_s, 3);
  scenario.workers[1].stay = from(0.5);
  const Outcome outcome = run(scenario, "send:1").outcome;
  EXPECT_DOUBLE_EQ(outcome.makespan_s, 2);
  EXPECT_EQ(outcome.workers[1].iterations, 1);
}

TEST(Membership, AFarmMayBeEmptyForAWhileButNotForGood) {
  Scenario scenario = near_farm(3, 20);
  for (WorkerModel& worker : scenario.workers) worker.stay = until(3.5, Stay::End::is_lost);
  scenario.workers[2].stay = from(10);
  EXPECT_DOUBLE_EQ(run(scenario, "send:1").outcome.makespan_s, 10 + 14);
  scenario.workers[2].stay = until(6.5, Stay::End::leaves);
  EXPECT_THAT(error_of([&] { run(scenario, "send:1"); }),
              HasSubstr("no worker is left to compute 7 of 20 iterations (the last worker is gone at 6.5 s"));
}

TEST(Membership, AnIterationThatIsLostTooOftenEndsTheRun) {
  Scenario scenario = near_farm(13, 1);
  // Each computes for half a second; from the second loss on the iteration rests for a second.
  const auto lose = [&scenario](std::size_t number) {
    const double at_s = number == 0 ? 0.5 : 1 + 1.5 * static_cast<double>(number - 1);
    scenario.workers[number].stay = until(at_s, Stay::End::is_lost);
  };
  for (std::size_t number = 0; number < 11; ++number) lose(number);
  EXPECT_DOUBLE_EQ(run(scenario, "send:1").outcome.makespan_s, 1 + 1.5 * 9 + 1 + 1);
  lose(11);  // four times the limit, because nothing else was computed
  EXPECT_THAT(error_of([&] { run(scenario, "send:1"); }), HasSubstr("would not finish"));
  scenario.workers[12].stay = from(30);
  EXPECT_THAT(error_of([&] { run(scenario, "send:1"); }), HasSubstr("would not finish"));
  scenario.workers[12].stay = until(20, Stay::End::leaves);
  EXPECT_THAT(error_of([&] { run(scenario, "send:1"); }),
              HasSubstr("no worker is left to compute 1 of 1 iterations"))
      << "before the verdict, which waits for the lost ones to come again";
}

TEST(Membership, TheSharedInputGoesToJoiningWorkers) {
  for (const PortOrder ports : {PortOrder::in_turn, PortOrder::shared, PortOrder::queued}) {
    Scenario scenario = far_farm(2, 11, 0, 0);
    scenario.ports = ports;
    scenario.shared.transfer_s = 2;
    scenario.workers[1].stay = from(5);
    const Simulated found = run(scenario, "send:1");
    // The first has it at 2, as the end of its first chunk, and has done four at 5. From 7 on they are two.
    EXPECT_DOUBLE_EQ(found.outcome.workers[1].last_end_s, 9);
    EXPECT_EQ(found.outcome.workers[1].iterations, 3);
    // In turn, an order of the first one's waits behind the input, from 6 to 7.
    EXPECT_DOUBLE_EQ(found.outcome.makespan_s, ports == PortOrder::in_turn ? 10 : 9);
    EXPECT_NEAR(found.outcome.port_out_busy_s, 4, 1e-9);
  }
}

// The first worker's transfer has a second of two left when the other joins: they share the port until 3.
TEST(Membership, TheSharedInputOfAJoiningWorkerDoesNotOvertakeOthers) {
  for (const PortOrder ports : {PortOrder::shared, PortOrder::queued}) {
    Scenario scenario = far_farm(2, 11, 0, 0);
    scenario.ports = ports;
    scenario.shared.transfer_s = 2;
    scenario.workers[1].stay = from(1);
    const Simulated found = run(scenario, "send:1");
    std::vector<double> first_s(2, 0);
    for (const ChunkRecord& chunk : found.chunks)
      if (double& first = first_s[to_number(chunk.worker)]; first == 0) first = chunk.returned_s;
    EXPECT_THAT(first_s, testing::ElementsAre(3, 4));
  }
}

TEST(Membership, AJournalTakesTheMastersProcessor) {
  for (const std::size_t prefetch : {0u, 1u}) {
    Scenario scenario = near_farm(1, 10);
    scenario.prefetch = prefetch;
    scenario.master.own_worker = 0;
    scenario.master.journal_each_s = 0.5;
    EXPECT_DOUBLE_EQ(run(scenario, "send:1").outcome.makespan_s, 10 + 9 * 0.5) << "nobody waits for the last";
  }
}

/// A random farm in which the first worker stays once it has joined.
Scenario drawn_farm(std::mt19937_64& random) {
  const auto below = [&random](double most) { return most * fraction(random); };
  const auto workers = 1 + static_cast<std::size_t>(below(6));
  Scenario scenario = below(2) < 1 ? near_farm(workers, 60) : far_farm(workers, 60, 0.01, 0.02);
  scenario.prefetch = static_cast<std::size_t>(below(4));
  constexpr std::array orders{PortOrder::in_turn, PortOrder::shared, PortOrder::queued};
  scenario.ports = orders[static_cast<std::size_t>(below(orders.size()))];
  if (!scenario.links.empty() && below(2) < 1) scenario.shared = {2, 0.1, 0.5, 0.2, 0.1};
  for (std::size_t i = 0; i < workers; ++i) {
    WorkerModel& worker = scenario.workers[i];
    worker.speed = 0.3 + below(2);
    if (below(3) < 1) worker.grant = CpuQuota{0.5, 0.1, 0.004};
    if (below(i > 0 ? 2 : 8) < 1) worker.stay.from_s = below(20);
    if (i > 0 && below(2) < 1) worker.stay.until_s = worker.stay.from_s + below(20);
    if (below(2) < 1) worker.stay.end = Stay::End::is_lost;
  }
  if (scenario.links.empty() && below(2) < 1) scenario.master.own_worker = 0;
  return scenario;
}

TEST(Membership, EveryIterationCountsOnceAndNoBoundIsBroken) {
  constexpr double rounding = 1e-6;
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    std::mt19937_64 random(seed);
    const Scenario scenario = drawn_farm(random);
    for (const char* spec : {"send:1", "gss", "fac2", "awf-c"}) {
      SCOPED_TRACE(std::to_string(seed) + " " + spec);
      Outcome outcome;
      try {
        outcome = run(scenario, spec).outcome;
      } catch (const UsageError& error) {
        ASSERT_THAT(error.what(), HasSubstr("would not finish"));
        continue;
      }
      Index iterations = 0;
      for (std::size_t i = 0; i < outcome.workers.size(); ++i) {
        iterations += outcome.workers[i].iterations;
        const Stay stay = outcome.stay_of(i);
        ASSERT_LE(outcome.workers[i].computing_s, stay.until_s - stay.from_s + rounding);
        ASSERT_GE(outcome.workers[i].computing_s, -rounding);
      }
      ASSERT_EQ(iterations, 60);
      const Bounds bounds = bounds_of(scenario, outcome);
      ASSERT_LE(bounds.work_s, outcome.makespan_s + rounding);
      ASSERT_LE(bounds.network_s, outcome.makespan_s + rounding);
    }
  }
}

}  // namespace
}  // namespace loadshare::predictor
