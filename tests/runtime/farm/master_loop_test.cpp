#include "runtime/farm/master_loop.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <thread>

#include "base/error.hpp"
#include "runtime/host/clock.hpp"
#include "runtime/transport/master_router.hpp"
#include "schedulers/table.hpp"

namespace loadshare {
namespace {

/// Workers that exist only as queues: a test decides who answers what, and when.
class ScriptedWorkers final : public MasterEnd {
 public:
  explicit ScriptedWorkers(std::size_t workers) : joining_(workers) {}

  std::size_t poll(std::span<Event> events) override {
    if (joining_.has_next()) return joining_.poll(events);
    if (ready.empty() && on_idle) on_idle();
    note_progress();
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
  void recall(WorkerId worker, ChunkId id, Recall recall) override {
    recalls.push_back({worker, id, recall});
  }
  void publish(WorkerId worker, ChunkId, Chunk part) override { published.push_back({worker, part}); }
  void release(WorkerId, ChunkId) override { ++releases; }
  void stop() override { ++stops; }

  /// The worker's oldest chunk comes back.
  void answer(std::uint32_t worker, Report::Kind kind = Report::Kind::done) {
    Report report;
    report.id = held[worker].front().id;
    report.kind = kind;
    report.is_timed = 1;
    held[worker].pop_front();
    std::shared_ptr<const Failure> failure;
    if (kind == Report::Kind::failed)
      failure = std::make_shared<const Failure>(Failure::of("out of luck", fails_at));
    ready.push_back({.worker = WorkerId{worker}, .report = report, .failure = failure});
  }

  /// Each worker's first chunk has come this far, which is known before what `on_idle` said.
  void note_progress() {
    if (!done) return;
    for (const auto& [worker, chunks] : held) {
      if (chunks.empty() || noted[worker] == chunks.front().id) continue;
      noted[worker] = chunks.front().id;
      ready.push_front({.worker = WorkerId{worker},
                        .report = {.id = chunks.front().id},
                        .kind = Event::Kind::progressed,
                        .done = *done});
    }
  }

  std::function<void()> on_idle;
  std::deque<Event> ready;
  std::vector<std::pair<WorkerId, Assignment>> given;
  std::map<std::uint32_t, std::deque<Assignment>> held;
  struct Recalled {
    WorkerId worker;
    ChunkId id;
    Recall recall;
  };
  std::vector<Recalled> recalls;
  std::vector<std::pair<WorkerId, Chunk>> published;
  std::optional<Index> fails_at;
  std::optional<Index> done;  // of each worker's first chunk; nothing: it is not begun
  std::map<std::uint32_t, ChunkId> noted;
  int releases = 0;
  int stops = 0;
  int waits = 0;

 private:
  PresentWorkers joining_;
};

struct ScriptedRun {
  ScriptedRun(Index iterations, std::size_t worker_count, const char* spec, std::size_t prefetch = 0,
              DispatchRules rules = {})
      : workers(worker_count),
        dispatcher(iterations,
                   built_in_schedulers().make(spec, {iterations, static_cast<Index>(worker_count)}),
                   expecting(rules, worker_count)),
        loop(workers, dispatcher, prefetch, controls, "columns") {}

  static DispatchRules expecting(DispatchRules rules, std::size_t workers) {
    rules.workers_expected = static_cast<Index>(workers);
    return rules;
  }
  void answer_all() {
    for (auto& [worker, chunks] : workers.held)
      if (!chunks.empty()) workers.answer(worker);
  }

  RunControls controls;
  ScriptedWorkers workers;
  Dispatcher dispatcher;
  MasterLoop loop;
};

class HearsWeights final : public ChunkScheduler {
 public:
  explicit HearsWeights(std::vector<double>& weights) : weights_(weights) {}
  Cut next(const Request&) override { return {1}; }
  void joined(WorkerId, const WorkerFacts& facts) override { weights_.push_back(facts.weight); }

 private:
  std::vector<double>& weights_;
};

TEST(MasterLoop, TellsTheWorkersWeights) {
  ScriptedWorkers workers(3);
  std::vector<double> weights;
  Dispatcher dispatcher(6, std::make_unique<HearsWeights>(weights), {.workers_expected = 3});
  const RunControls controls;
  MasterLoop loop(workers, dispatcher, 0, controls, "columns", {{}, {3, 0.5}});
  workers.on_idle = [&] {
    for (auto& [worker, chunks] : workers.held)
      if (!chunks.empty()) workers.answer(worker);
  };
  loop.run();
  EXPECT_THAT(weights, testing::ElementsAre(3, 0.5, 1));
}

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
  ScriptedWorkers workers(1);
  Dispatcher dispatcher(2, std::make_unique<Listening>(heard));
  RunControls controls;
  MasterLoop loop(workers, dispatcher, 1, controls, "columns");
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

TEST(MasterLoop, OfTwoResultsTheFirstIsBroughtToItsPlaceAndTheOtherWorkerIsToldOfIt) {
  ScriptedRun run(1, 2, "send:1", 0, {.reissue = Reissue::on});
  run.workers.on_idle = [&] { run.workers.answer(1); };
  run.loop.run();
  EXPECT_THAT(run.workers.published, testing::ElementsAre(std::pair(WorkerId{1}, Chunk{0, 1})));
  ASSERT_EQ(run.workers.recalls.size(), 1u);
  EXPECT_EQ(run.workers.recalls[0].worker, WorkerId{0});
  EXPECT_EQ(run.workers.recalls[0].recall, Recall::unwanted);
  const ReissueRecord reissue = run.loop.reissue();
  EXPECT_EQ(reissue.copies, 1);
  EXPECT_EQ(reissue.first, 1);
  EXPECT_EQ(reissue.saved, (std::map<WorkerId, Index>{{WorkerId{0}, 1}}));
}

TEST(MasterLoop, ASecondResultCountsForNothing) {
  ScriptedRun run(2, 2, "send:1", 0, {.reissue = Reissue::on});
  // Worker 0 is done with its chunk and gets a copy of worker 1's, whose result comes first all the same.
  int step = 0;
  run.workers.on_idle = [&] {
    if (++step == 1) run.workers.answer(0);
    if (step == 2) {
      run.workers.answer(1);
      run.workers.answer(0);
    }
  };
  run.loop.run();
  const std::vector<ChunkRecord> chunks = run.loop.chunks().listed();
  EXPECT_THAT(run.workers.published,
              testing::ElementsAre(std::pair(WorkerId{0}, Chunk{0, 1}), std::pair(WorkerId{1}, Chunk{1, 1})));
  EXPECT_EQ(run.loop.chunks_total(), 2);
  EXPECT_EQ(run.loop.reissue().first, 0);
  EXPECT_EQ(run.loop.reissue().again, 1);
  EXPECT_TRUE(run.loop.reissue().saved.empty());
}

TEST(MasterLoop, WhereAResultLandedIsFreeOnceItIsBack) {
  ScriptedRun run(10, 2, "send:3");
  run.workers.on_idle = [&] { run.answer_all(); };
  run.loop.run();
  EXPECT_EQ(run.workers.releases, 4);
  EXPECT_TRUE(run.workers.published.empty()) << "all of it was in place";
}

TEST(MasterLoop, ProgressWithinChunksIsShown) {
  ScriptedRun run(10, 1, "send:10");
  std::vector<Index> shown;
  run.controls.on_progress = [&](const LoopProgress& progress) { shown.push_back(progress.done); };
  int step = 0;
  run.workers.on_idle = [&] {
    run.workers.done = 4;
    if (++step < 2) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(150));
    if (step > 3) run.workers.answer(0);
  };
  run.loop.run();
  EXPECT_THAT(shown, testing::Contains(4));
}

TEST(MasterLoop, AnInterruptionCountsChunksThatDoNotSayHowFarTheyAre) {
  ScriptedRun run(10, 2, "send:3");
  const std::atomic<bool> interrupted = true;
  run.controls.interrupted = &interrupted;
  run.workers.on_idle = [] { std::this_thread::sleep_for(std::chrono::milliseconds(10)); };
  try {
    run.loop.run();
    FAIL() << "nobody interrupted it";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "interrupted (0 of 10 columns were in finished chunks; unfinished chunks contain 6 more)");
  }
}

TEST(MasterLoop, SaysWhatIsInWork) {
  ScriptedRun run(10, 2, "send:3", 1);
  std::vector<ChunkInWork> in_work;
  run.controls.on_progress = [&](const LoopProgress& progress) {
    if (progress.committed == 0 && progress.in_work.size() == 2) in_work = progress.in_work;
  };
  run.workers.done = 2;
  int idle = 0;
  run.workers.on_idle = [&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    if (++idle > 20) run.answer_all();
  };
  run.loop.run();
  ASSERT_EQ(in_work.size(), 2);
  EXPECT_EQ(in_work[0].chunk, (Chunk{0, 3}));
  EXPECT_EQ(in_work[0].done, 2);
  EXPECT_EQ(in_work[0].queued + in_work[1].queued, 4) << "the other four wait";
}

TEST(MasterLoop, AnIterationThatFailsIsLeftOutWhereThatWasAskedFor) {
  ScriptedRun run(10, 1, "send:5", 0, {.on_failure = OnFailure::skip, .retries = 1});
  run.workers.fails_at = 3;
  run.workers.on_idle = [&] {
    const Chunk chunk = run.workers.held[0].front().chunk;
    const bool fails = chunk.first <= 3 && 3 < chunk.end();
    run.workers.answer(0, fails ? Report::Kind::failed : Report::Kind::done);
  };
  run.loop.run();
  EXPECT_EQ(run.dispatcher.ending(), Ending::gaps);
  const std::vector<SkippedIteration> skipped = run.loop.take_skipped();
  ASSERT_EQ(skipped.size(), 1u);
  EXPECT_EQ(skipped[0].iteration, 3);
  EXPECT_EQ(skipped[0].reason, "out of luck");
  EXPECT_EQ(run.dispatcher.committed(), 9);
}

TEST(MasterLoop, AFailureThatPassesIsForgotten) {
  ScriptedRun run(10, 1, "send:5", 0, {.on_failure = OnFailure::retry, .retries = 2});
  int failures = 0;
  run.workers.on_idle = [&] {
    run.workers.answer(0, failures++ < 2 ? Report::Kind::failed : Report::Kind::done);
  };
  run.loop.run();
  EXPECT_EQ(run.dispatcher.ending(), Ending::finished);
}

TEST(MasterLoop, AFailureNamesWorkerChunkAndReasonAndStopsAll) {
  ScriptedRun run(10, 2, "send:3");
  run.workers.on_idle = [&] { run.workers.answer(1, Report::Kind::failed); };
  try {
    run.loop.run();
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::run_failed);
    EXPECT_STREQ(error.what(),
                 "rank 2 failed on columns 3-5 (out of luck; 0 of 10 columns were in finished chunks); "
                 "--on-failure retry:3 tries it again, --on-failure skip:1 leaves it out");
  }
  EXPECT_EQ(run.workers.stops, 1);
}

TEST(MasterLoop, ARetryThatFailedIsNotAdvisedAgain) {
  ScriptedRun run(10, 1, "send:1", 0, {.on_failure = OnFailure::retry, .retries = 3});
  run.workers.on_idle = [&] { run.workers.answer(0, Report::Kind::failed); };
  try {
    run.loop.run();
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(
        error.what(),
        "rank 1 failed on column 0 after 3 retries (out of luck; 0 of 10 columns were in finished chunks); "
        "--on-failure skip:1 leaves it out");
  }
}

TEST(MasterLoop, WhatALostWorkerHadIsDoneByTheOthers) {
  ScriptedRun run(10, 2, "send:3");
  int step = 0;
  run.workers.on_idle = [&] {
    if (++step == 1) run.workers.ready.push_back({.worker = WorkerId{0}, .kind = Event::Kind::lost});
    if (step > 1) run.workers.answer(1);
  };
  run.loop.run();
  EXPECT_EQ(run.dispatcher.contribution(WorkerId{1}).iterations, 10);
}

TEST(MasterLoop, WhatALostWorkerSaidLastTellsWhatItHadBegun) {
  // Without a rate of losses to compare with, four times the limit is enough: one process each.
  ScriptedRun run(4, 5, "send:1", 0, {.crash_limit = 1, .rest_s = 0, .verdict_after_s = 0});
  run.workers.done = 0;
  std::set<std::uint32_t> lost;
  run.workers.on_idle = [&] {
    if (lost.empty())
      for (const std::uint32_t other : {1u, 2u, 3u}) run.workers.answer(other);
    for (std::uint32_t worker = 0; worker < 5; ++worker)
      if (!run.workers.held[worker].empty() && lost.insert(worker).second)
        return run.workers.ready.push_back({.worker = WorkerId{worker}, .kind = Event::Kind::lost});
  };
  try {
    run.loop.run();
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::workers_lost);
    EXPECT_STREQ(
        error.what(),
        "workers were lost with column 0 (every process that began it was lost; 3 of 4 columns were in "
        "finished chunks); "
        "compute it alone to see why; --on-failure skip leaves it out, --crash-limit 0 keeps trying");
  }
}

TEST(MasterLoop, WithoutWorkersTheRunEndsWithItsOwnCode) {
  ScriptedRun run(10, 1, "send:3", 0, {.patience_s = 0});
  int step = 0;
  run.workers.on_idle = [&] {
    if (++step == 1) return run.workers.answer(0);
    run.workers.ready.push_back({.worker = WorkerId{0}, .kind = Event::Kind::lost});
  };
  try {
    run.loop.run();
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::workers_lost);
    EXPECT_STREQ(error.what(), "no worker is left (3 of 10 columns were in finished chunks)");
  }
  EXPECT_EQ(run.workers.stops, 1);
}

TEST(MasterLoop, ASilentWorkersChunksAreGivenAgainAndItsLateResultCountsForNothing) {
  ScriptedRun run(2, 2, "send:1", 0, {.reissue = Reissue::on});
  int step = 0;
  run.workers.on_idle = [&] {
    switch (++step) {
      case 1:
        run.workers.ready.push_back({.worker = WorkerId{0}, .kind = Event::Kind::silent});
        return run.workers.answer(1);
      case 2:
        EXPECT_EQ(run.workers.held[1].front().chunk, (Chunk{0, 1}));
        run.workers.ready.push_back({.worker = WorkerId{0}, .kind = Event::Kind::back});
        return run.workers.answer(1);
      default:
        throw std::logic_error("it is not over");
    }
  };
  run.loop.run();
  EXPECT_EQ(run.dispatcher.contribution(WorkerId{1}).iterations, 2);
}

TEST(MasterLoop, ACutOffWorkersChunksAreGivenAgainAfterItsLeaseWithANote) {
  ScriptedRun run(2, 2, "send:1", 0, {.copies = Copies::never, .landing = Landing::aside});
  std::vector<std::string> notes;
  run.controls.on_note = [&](const std::string& note) { notes.push_back(note); };
  const double gone_at_s = monotonic_s() + 0.3;
  int step = 0;
  run.workers.on_idle = [&] {
    if (++step == 1) {
      run.workers.ready.push_back(
          {.worker = WorkerId{0}, .kind = Event::Kind::cut_off, .deadline_s = gone_at_s});
      return run.workers.answer(1);
    }
    if (run.workers.given.size() < 3) return std::this_thread::sleep_for(std::chrono::milliseconds(10));
    EXPECT_GE(monotonic_s(), gone_at_s);
    run.workers.answer(1);
  };
  run.loop.run();
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_THAT(notes[0], testing::MatchesRegex(
                            "rank 1 was lost, but may still compute column 0: other workers get that in "
                            ".* ms, when its lease has run out"));
  EXPECT_EQ(run.loop.reissue().again, 1);
  EXPECT_EQ(run.loop.membership().lost, 1);
  EXPECT_TRUE(run.loop.membership().adds_up());
}

TEST(MasterLoop, AnInterruptionStopsAll) {
  ScriptedRun run(10, 1, "send:1");
  const std::atomic<bool> interrupted = true;
  run.controls.interrupted = &interrupted;
  EXPECT_THROW(run.loop.run(), Error);
  EXPECT_EQ(run.workers.stops, 1);
}

TEST(MasterLoop, ADrainWaitsForBegunChunksAndReportsHowMuchWasDone) {
  ScriptedRun run(20, 2, "send:2", 1);
  std::atomic<bool> draining = false;
  std::vector<std::string> notes;
  run.controls.draining = &draining;
  run.controls.on_note = [&](const std::string& note) { notes.push_back(note); };
  run.workers.on_idle = [&] {
    if (!draining.exchange(run.workers.given.size() == 4)) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));  // until it looks
    if (run.workers.recalls.size() < 2) return;
    for (const std::uint32_t worker : {0u, 1u}) {
      auto& held = run.workers.held[worker];
      if (held.size() == 2) std::swap(held.front(), held.back());
      if (!held.empty())
        run.workers.answer(worker, held.size() == 2 ? Report::Kind::handed_back : Report::Kind::done);
    }
  };
  try {
    run.loop.run();
    FAIL() << "it did not drain";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::drained);
    EXPECT_STREQ(error.what(), "drained, as requested (4 of 20 columns were in finished chunks)");
  }
  EXPECT_EQ(run.workers.given.size(), 4u);
  EXPECT_EQ(run.workers.stops, 1);
  EXPECT_THAT(notes, testing::ElementsAre(testing::HasSubstr("no more chunks are given out")));
}

TEST(MasterLoop, AFlagThatIsSetBeforeTheLoopDrainsItBeforeAnythingIsGiven) {
  ScriptedRun run(10, 2, "send:3");
  const std::atomic<bool> draining = true;
  run.controls.draining = &draining;
  EXPECT_THROW(run.loop.run(), Error);
  EXPECT_TRUE(run.workers.given.empty());
  EXPECT_EQ(run.workers.stops, 1);
}

TEST(MasterLoop, AnInterruptionIsToldAtOnceAndCountsAsProgressDid) {
  ScriptedRun run(10, 1, "send:5");
  std::atomic<bool> interrupted = false;
  Index last_done = 0;
  std::vector<std::string> notes;
  run.controls.interrupted = &interrupted;
  run.controls.on_progress = [&](const LoopProgress& progress) {
    interrupted = (last_done = progress.done) == 8;
  };
  run.controls.on_note = [&](const std::string& note) { notes.push_back(note); };
  run.workers.on_idle = [&] {
    if (run.workers.given.size() == 1) return run.workers.answer(0);
    run.workers.done = 3;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));  // until it looks
  };
  try {
    run.loop.run();
    FAIL() << "nobody interrupted it";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::interrupted);
    EXPECT_STREQ(
        error.what(),
        "interrupted (5 of 10 columns were in finished chunks, and 3 more in chunks that had not ended)");
  }
  EXPECT_EQ(last_done, 8);
  EXPECT_THAT(notes,
              testing::ElementsAre(testing::HasSubstr("a second Ctrl-C or signal ends the run immediately")));
}

}  // namespace
}  // namespace loadshare
