#include "runtime/farm/master_loop.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <thread>

#include "base/error.hpp"
#include "schedulers/table.hpp"

namespace loadshare {
namespace {

/// Workers that exist only as queues: a test decides who answers what, and when.
class ScriptedWorkers final : public MasterEnd {
 public:
  std::size_t poll(std::span<Event> events) override {
    if (ready.empty() && on_idle) on_idle();
    std::size_t count = 0;
    for (; count < events.size() && !ready.empty(); ready.pop_front()) events[count++] = ready.front();
    return count;
  }
  void wait(double) override {
    if (++waits > 1000) throw std::logic_error("the master waits for nobody");
  }
  void give(WorkerId worker, const Assignment& assignment) override {
    given.push_back({worker, assignment});
    held[to_number(worker)].push_back(assignment);
  }
  void stop() override { ++stops; }
  std::string failure_text(WorkerId) override { return "out of luck"; }

  /// The worker's oldest chunk comes back.
  void answer(std::uint32_t worker, Report::Kind kind = Report::Kind::done) {
    Report report;
    report.id = held[worker].front().id;
    report.kind = kind;
    report.is_timed = 1;
    held[worker].pop_front();
    ready.push_back({WorkerId{worker}, report});
  }

  std::function<void()> on_idle;
  std::deque<Event> ready;
  std::vector<std::pair<WorkerId, Assignment>> given;
  std::map<std::uint32_t, std::deque<Assignment>> held;
  int stops = 0;
  int waits = 0;
};

struct ScriptedRun {
  ScriptedRun(Index iterations, std::size_t worker_count, const char* spec, std::size_t prefetch = 0,
              Reissue reissue = Reissue::off)
      : dispatcher(iterations,
                   built_in_schedulers().make(spec, {iterations, static_cast<Index>(worker_count)}),
                   {.reissue = reissue, .workers_expected = static_cast<Index>(worker_count)}),
        loop(workers, dispatcher, worker_count, prefetch, controls, "columns") {}

  void answer_all() {
    for (auto& [worker, chunks] : workers.held)
      if (!chunks.empty()) workers.answer(worker);
  }

  RunControls controls;
  ScriptedWorkers workers;
  Dispatcher dispatcher;
  MasterLoop loop;
};

TEST(MasterLoop, RunsUntilEverythingIsCommitted) {
  ScriptedRun run(10, 2, "send:3");
  run.workers.on_idle = [&] { run.answer_all(); };
  run.loop.run();
  EXPECT_EQ(run.dispatcher.ending(), Ending::finished);
  EXPECT_EQ(run.loop.chunks_total(), 4);
  EXPECT_EQ(run.workers.stops, 1);
}

TEST(MasterLoop, GivesEveryWorkerOneBeforeAnyGetsItsSecond) {
  ScriptedRun run(3, 3, "send:1", 2);
  run.workers.on_idle = [&] { run.answer_all(); };
  run.loop.run();
  ASSERT_EQ(run.workers.given.size(), 3u);
  for (std::uint32_t i = 0; i < 3; ++i) EXPECT_EQ(run.workers.given[i].first, WorkerId{i});
}

TEST(MasterLoop, QueuesPrefetchBeyondTheChunkInWork) {
  ScriptedRun run(100, 1, "send:1", 4);
  std::size_t most = 0;
  run.workers.on_idle = [&] {
    most = std::max(most, run.workers.held[0].size());
    run.workers.answer(0);
  };
  run.loop.run();
  EXPECT_EQ(most, 5u);
}

/// Always one iteration; keeps what it hears.
class Listening final : public ChunkScheduler {
 public:
  explicit Listening(std::vector<ChunkTimes>& heard) : heard_(heard) {}
  Cut next(const Request&) override { return {1}; }
  void completed(const ChunkTimes& times) override { heard_.push_back(times); }

 private:
  std::vector<ChunkTimes>& heard_;
};

// Two that were computed together, and so reported together, in 0.2 ms.
TEST(MasterLoop, ASchedulerHearsOfEachChunkWhenItsTimeWasOver) {
  std::vector<ChunkTimes> heard;
  ScriptedWorkers workers;
  Dispatcher dispatcher(2, std::make_unique<Listening>(heard));
  RunControls controls;
  MasterLoop loop(workers, dispatcher, 1, 1, controls, "columns");
  constexpr double held_s = 1e-4;
  workers.on_idle = [&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    workers.answer(0);
    workers.ready.back().report.stamps.held_s = static_cast<float>(held_s);
    workers.answer(0);
  };
  loop.run();
  ASSERT_EQ(heard.size(), 2u);
  EXPECT_GE(heard[0].response_s, 1e-3 - held_s);
  EXPECT_NEAR(heard[1].response_s, held_s, 1e-9);
}

TEST(MasterLoop, EndsAtOnceWithNothingToDo) {
  ScriptedRun run(0, 2, "gss");
  run.loop.run();
  EXPECT_EQ(run.workers.stops, 1);
  EXPECT_TRUE(run.workers.given.empty());
}

TEST(MasterLoop, ADroppedCopyIsNotTakenForTheFirstResult) {
  ScriptedRun run(1, 2, "send:1", 0, Reissue::on);
  // Worker 1 computes a copy, loses the race for the place, and is heard of before worker 0, who won it.
  int step = 0;
  run.workers.on_idle = [&] {
    if (++step == 1) run.workers.answer(1, Report::Kind::dropped);
    if (step == 2) {
      EXPECT_FALSE(run.dispatcher.is_over()) << "the result is not at its place yet";
      run.workers.answer(0);
    }
  };
  ASSERT_NO_THROW(run.loop.run());
  const std::vector<ChunkRecord> chunks = run.loop.take_chunks();
  ASSERT_EQ(chunks.size(), 2u);
  EXPECT_FALSE(chunks[0].is_duplicate);
  EXPECT_EQ(chunks[0].worker, WorkerId{0});
  EXPECT_TRUE(chunks[1].is_duplicate);
}

TEST(MasterLoop, AFailureNamesWorkerChunkAndReasonAndStopsAll) {
  ScriptedRun run(10, 2, "send:3");
  run.workers.on_idle = [&] { run.workers.answer(1, Report::Kind::failed); };
  try {
    run.loop.run();
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::run_failed);
    EXPECT_STREQ(error.what(), "worker 1 failed on columns 3-5 (out of luck)");
  }
  EXPECT_EQ(run.workers.stops, 1);
}

TEST(MasterLoop, AnInterruptionStopsAll) {
  ScriptedRun run(10, 1, "send:1");
  const std::atomic<bool> interrupted = true;
  run.controls.interrupted = &interrupted;
  EXPECT_THROW(run.loop.run(), Error);
  EXPECT_EQ(run.workers.stops, 1);
}

}  // namespace
}  // namespace loadshare
