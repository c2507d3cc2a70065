// Farms small enough to be followed by hand, and one that is not small at all.
#include <gmock/gmock.h>
#include <malloc.h>

#include <cmath>
#include <fstream>
#include <string>

#include "models/farm/farm_simulation.hpp"
#include "models/messages/message_costs.hpp"
#include "schedulers/table.hpp"
#include "tests/error_of.hpp"
#include "tests/models/farm/small_farms.hpp"

namespace loadshare::predictor {
namespace {

using testing::ElementsAre;

std::vector<double> received_s(const Simulated& found) {
  std::vector<double> times_s;
  for (const ChunkRecord& chunk : found.chunks) times_s.push_back(chunk.received_s);
  return times_s;
}

std::vector<double> returned_s(const Simulated& found) {
  std::vector<double> times_s;
  for (const ChunkRecord& chunk : found.chunks) times_s.push_back(chunk.returned_s);
  return times_s;
}

TEST(FarmCasesTest, NothingTakesNoTime) {
  for (const std::size_t workers : {0u, 1u, 3u}) {
    const Outcome outcome = run(near_farm(workers, 0), "send:1").outcome;
    EXPECT_EQ(outcome.makespan_s, 0);
    EXPECT_EQ(outcome.chunks, 0);
  }
}

TEST(FarmCasesTest, IterationsNeedAWorker) {
  EXPECT_EQ(error_of([] { run(near_farm(0, 1), "send:1"); }),
            "the farm has no workers (no worker would compute its iterations); add one");
}

TEST(FarmCasesTest, OneWorkerDoesItAll) {
  const Simulated found = run(far_farm(1, 3, 0.25, 0.5), "send:1");
  EXPECT_THAT(returned_s(found), ElementsAre(1.75, 3.5, 5.25));
  EXPECT_EQ(found.outcome.messages, 6);
  EXPECT_EQ(found.outcome.bytes_out, 0.75);
  EXPECT_EQ(found.outcome.bytes_in, 1.5);
  EXPECT_EQ(found.outcome.port_in_busy_s, 1.5);
}

TEST(FarmCasesTest, WorkersBeyondTheIterationsGetNone) {
  const Outcome outcome = run(near_farm(5, 2), "send:1").outcome;
  EXPECT_EQ(outcome.makespan_s, 1);
  EXPECT_EQ(outcome.workers[1].chunks, 1);
  EXPECT_EQ(outcome.workers[2].chunks, 0);
}

TEST(FarmCasesTest, OrdersWaitInTurn) {
  EXPECT_THAT(received_s(run(far_farm(3, 3, 0.5, 0), "send:1")), ElementsAre(0.5, 1, 1.5));
}

TEST(FarmCasesTest, OrdersShareThePort) {
  Scenario scenario = far_farm(3, 6, 0.5, 0);
  scenario.ports = PortOrder::shared;
  EXPECT_THAT(received_s(run(scenario, "send:2")), ElementsAre(3, 3, 3));
}

// Three results at once take three times as long.
TEST(FarmCasesTest, ReportsShareThePort) {
  Scenario scenario = far_farm(3, 3, 0, 0.5);
  scenario.ports = PortOrder::shared;
  EXPECT_THAT(returned_s(run(scenario, "send:1")), ElementsAre(2.5, 2.5, 2.5));
  scenario.ports = PortOrder::in_turn;
  EXPECT_THAT(returned_s(run(scenario, "send:1")), ElementsAre(1.5, 2, 2.5));
}

// An order, an iteration and a report take 0.5, 1 and 0.5 s. With a queue the second worker's order arrives
// half a second after the first one's. From then on a report arrives while the other worker's order leaves.
// If orders share the port, both workers wait, compute and report together, and the link is idle in between.
TEST(FarmCasesTest, OrdersInAQueueLeaveWhileReportsCome) {
  Scenario scenario = far_farm(2, 4, 0.5, 0.5);
  scenario.ports = PortOrder::queued;
  const Simulated found = run(scenario, "send:1");
  EXPECT_THAT(received_s(found), ElementsAre(0.5, 1, 2.5, 3));
  EXPECT_THAT(returned_s(found), ElementsAre(2, 2.5, 4, 4.5));
  scenario.ports = PortOrder::shared;
  EXPECT_THAT(returned_s(run(scenario, "send:1")), ElementsAre(3, 3, 6, 6));
}

// A worker notices an order 0.125 s after its arrival, and answers; then the data follow.
TEST(FarmCasesTest, LargeOrdersAskFirst) {
  Scenario scenario = far_farm(1, 1, 1, 0, 0.5);
  scenario.workers[0].polling_latency_s = 0.125;
  for (const PortOrder order : {PortOrder::in_turn, PortOrder::shared}) {
    scenario.ports = order;
    EXPECT_THAT(received_s(run(scenario, "send:1")), ElementsAre(1.25));
  }
}

// The second order comes while the first chunk is computed.
TEST(FarmCasesTest, PrefetchHidesTheTransfer) {
  Scenario scenario = far_farm(1, 4, 0.25, 0.25);
  EXPECT_EQ(run(scenario, "send:1").outcome.makespan_s, 6);
  scenario.prefetch = 1;
  EXPECT_EQ(run(scenario, "send:1").outcome.makespan_s, 4.5);
  scenario.ports = PortOrder::shared;  // both first orders together: 0.5 s
  EXPECT_EQ(run(scenario, "send:1").outcome.makespan_s, 4.75);
}

// Chunks of 2 and 1: the second order has passed first, and waits for the first.
TEST(FarmCasesTest, ChunksAreComputedInTheOrderTheyWereGiven) {
  Scenario scenario = far_farm(1, 3, 1, 0);
  scenario.prefetch = 1;
  scenario.ports = PortOrder::shared;
  const Simulated found = run(scenario, "tss:2,1");
  ASSERT_EQ(found.chunks.size(), 2u);
  EXPECT_EQ(found.chunks[0].chunk, (Chunk{0, 2}));
  EXPECT_THAT(received_s(found), ElementsAre(3, 2));
  EXPECT_THAT(returned_s(found), ElementsAre(5, 6));
}

// Worker 1 takes 8 s for an iteration; at 1 the other one gets a copy of it, and is done at 2.
TEST(FarmCasesTest, ACopyOvertakesASlowWorker) {
  Scenario scenario = near_farm(2, 2);
  scenario.workers[1].speed = 0.125;
  EXPECT_EQ(run(scenario, "send:1").outcome.makespan_s, 8);
  scenario.reissue = Reissue::on;
  const Simulated found = run(scenario, "send:1");
  EXPECT_EQ(found.outcome.makespan_s, 2);
  EXPECT_EQ(found.outcome.chunks, 2);
  EXPECT_EQ(found.outcome.workers[0].iterations, 2);
}

// It returns late, but before the end: two more iterations are in progress then.
TEST(FarmCasesTest, ALateResultIsADuplicate) {
  Scenario scenario = near_farm(3, 3);
  scenario.workers[1].speed = 0.4;   // 2.5 s
  scenario.workers[2].speed = 0.25;  // 4 s
  scenario.reissue = Reissue::on;
  const Simulated found = run(scenario, "send:1");
  EXPECT_THAT(returned_s(found), ElementsAre(1, 2, 2.5, 3));
  EXPECT_TRUE(found.chunks[2].is_duplicate);
  EXPECT_EQ(found.outcome.chunks, 3);
}

// The other worker's three reports take the master 0.25 s each, and each next order as much, from its own
// chunk.
TEST(FarmCasesTest, AWorkingMasterIsSlowedByServing) {
  Scenario scenario = near_farm(2, 8);
  scenario.master.own_worker = 0;
  scenario.workers[0].speed = 0.8;  // a chunk of 4 takes 5 s
  EXPECT_EQ(run(scenario, "send:4").outcome.makespan_s, 5);
  scenario.master.near.report_s = 0.25;
  const Simulated found = run(scenario, "send:4");
  EXPECT_THAT(returned_s(found), ElementsAre(4.25, 5.5));
}

// The shared input leaves for 2 s, which take half of the master's processor: of a chunk of half a second all
// is twice as long, of one of 2 s the first half.
TEST(FarmCasesTest, AWorkingMasterIsSlowedBySendingTheSharedInput) {
  Scenario scenario = far_farm(2, 3, 0, 0);
  scenario.master.own_worker = 0;
  scenario.workers[0].link.reset();
  scenario.workers[0].speed = 2;
  scenario.workers[0].relay_share = 0.5;
  scenario.workers[1].speed = 0.01;
  scenario.shared.transfer_s = 2;
  EXPECT_THAT(returned_s(run(scenario, "send:1")), testing::Contains(1));
  scenario.workers[0].speed = 0.5;  // a chunk of 2 s: 1 s of it until 2
  EXPECT_THAT(returned_s(run(scenario, "send:1")), testing::Contains(3));
  scenario.workers[1].stay.from_s = 100;  // no worker is sent anything
  EXPECT_THAT(returned_s(run(scenario, "send:1")), ElementsAre(2, 4, 6));
}

// A load does not delay the input: half a second, and then 1 s of work at half a processor.
TEST(FarmCasesTest, AHostUnderLoadWaitsForTheSharedInputToo) {
  Scenario scenario = far_farm(1, 1, 0, 0);
  scenario.shared.transfer_s = 1;
  scenario.workers[0].relay_share = 0.5;
  scenario.workers[0].load = Availability().scaled(0.5);
  EXPECT_THAT(returned_s(run(scenario, "send:1")), ElementsAre(2.5));
}

TEST(FarmCasesTest, AWorkingMasterPrefetchesItsOwn) {
  Scenario scenario = near_farm(1, 4);
  scenario.master.own_worker = 0;
  scenario.prefetch = 1;
  EXPECT_THAT(returned_s(run(scenario, "send:1")), ElementsAre(1, 2, 3, 4));
}

TEST(FarmCasesTest, SharedPortsServeAWorkingMaster) {
  Scenario scenario = far_farm(3, 9, 0.25, 0.25);
  scenario.master.own_worker = 0;
  scenario.workers[0].link.reset();
  scenario.ports = PortOrder::shared;
  const Outcome outcome = run(scenario, "send:1").outcome;
  EXPECT_EQ(outcome.chunks, 9);
  EXPECT_EQ(outcome.workers[0].iterations, 4);  // others take 2 s a chunk, in step
  EXPECT_EQ(outcome.messages, 10);
}

// If two workers ask at the same time, the lower one is first.
TEST(FarmCasesTest, TiesAreTakenByWorker) {
  const Simulated found = run(near_farm(3, 6), "send:1");
  std::vector<std::uint32_t> workers;
  for (const ChunkRecord& chunk : found.chunks)
    workers.push_back(static_cast<std::uint32_t>(to_number(chunk.worker)));
  EXPECT_THAT(workers, ElementsAre(0, 1, 2, 0, 1, 2));
}

TEST(FarmCasesTest, IterationsWithoutCostEnd) {
  for (const std::size_t prefetch : {0u, 3u})
    for (const PortOrder order : {PortOrder::in_turn, PortOrder::shared}) {
      Scenario scenario = far_farm(3, 1000, 0, 0);
      scenario.loop = LoopCost::uniform(1000, 0);
      scenario.workers[1].link.reset();
      scenario.prefetch = prefetch;
      scenario.ports = order;
      const Outcome outcome = run(scenario, "send:1").outcome;
      EXPECT_EQ(outcome.makespan_s, 0);
      EXPECT_EQ(outcome.chunks, 1000);
    }
}

/// Returns a line of the kernel's report on this process's memory, in bytes.
double memory_bytes(const std::string& name) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(name + ":")) return 1024 * std::stod(line.substr(name.size() + 1));
  return 0;
}

/// Measures the growth of memory from now on. It first releases memory that earlier tests left for reuse, and
/// resets the highest value, which never falls by itself.
template <typename Run>
double rise_bytes(Run run) {
  malloc_trim(0);
  std::ofstream("/proc/self/clear_refs") << 5;
  const double before_bytes = memory_bytes("VmRSS");
  run();
  return memory_bytes("VmHWM") - before_bytes;
}

TEST(FarmCasesTest, AMillionWorkersNeedLittleMemoryEach) {
  constexpr std::size_t workers = 1'000'000;
  const Scenario scenario = far_farm(workers, 3 * workers, 1e-9, 1e-9);
  Outcome outcome;
  [[maybe_unused]] const double bytes = rise_bytes([&] {
    outcome = FarmSimulation(scenario, built_in_schedulers().make("send:1", {3 * workers, workers})).run();
  });
  EXPECT_EQ(outcome.chunks, 3 * workers);
  EXPECT_NEAR(outcome.makespan_s, 3, 0.01);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  EXPECT_GT(bytes, 1.0 * workers * sizeof(WorkerOutcome)) << "the outcome alone has as much";
  EXPECT_LT(bytes, 350.0 * workers);
#endif
}

}  // namespace
}  // namespace loadshare::predictor
