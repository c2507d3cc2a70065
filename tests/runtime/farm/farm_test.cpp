#include <sys/prctl.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <stdexcept>
#include <thread>
#include <vector>

#include "runtime/farm/loop_status.hpp"
#include "runtime/host/scheduling.hpp"
#include "tests/error_of.hpp"
#include "tests/no_text.hpp"
#include "tests/runtime/farm/farm_cases.hpp"

namespace loadshare::test {
namespace {

class ThreadFarm : public testing::TestWithParam<FarmCase> {};

TEST_P(ThreadFarm, ComputesEveryIterationOnce) {
  run_and_check(GetParam());
}

INSTANTIATE_TEST_SUITE_P(
    Farms, ThreadFarm,
    testing::Values(FarmCase{"OneWorker", {.workers = 1}}, FarmCase{"TwoWorkers", {.workers = 2}},
                    FarmCase{"MoreWorkersThanIterations", {.workers = 8}, 3},
                    FarmCase{"NoIterations", {.workers = 3}, 0}, FarmCase{"OneIteration", {.workers = 3}, 1},
                    FarmCase{"NoData", {.workers = 3}, 50, 0, 0},
                    FarmCase{"Prefetch", {.scheduler = "send:1", .workers = 3, .prefetch = 4}, 500},
                    FarmCase{
                        "PrefetchBeyondTheLoop", {.scheduler = "send:1", .workers = 3, .prefetch = 40}, 20},
                    FarmCase{"Spin", {.workers = 2, .wait = WaitPolicy::spin}},
                    FarmCase{"Yield", {.workers = 3, .wait = WaitPolicy::yield}},
                    FarmCase{"Nap", {.scheduler = "send:1", .workers = 3, .wait = WaitPolicy::nap}, 2000},
                    FarmCase{"Reissue", {.scheduler = "send:7", .workers = 4, .reissue = Reissue::on}, 300},
                    FarmCase{"OwnMemory", {.workers = 3}, 200, 3, 100, Memory::own},
                    FarmCase{"Adaptive", {.scheduler = "adaptive:3,1,9", .workers = 3}, 700}),
    [](const testing::TestParamInfo<FarmCase>& farm) { return farm.param.name; });

TEST(ThreadFarm, RunsTwice) {
  for (int i = 0; i < 2; ++i) run_and_check({"", {.workers = 2}});
}

// The workers of a second run would inherit what the first had left its caller's thread with.
TEST(ThreadFarm, LeavesTheCallersThreadAsItWas) {
  const int slack_ns = prctl(PR_GET_TIMERSLACK);
  run_and_check({"", {.workers = 2}});
  EXPECT_EQ(prctl(PR_GET_TIMERSLACK), slack_ns);
}

TEST(ThreadFarm, TellsWhichChunkFailedAndWhy) {
  Farm farm({.scheduler = "send:5", .workers = 2});
  Squares squares(farm, 100, 1, 0, Memory::farm);
  squares.fail_at = 42;
  expect_failure(farm, squares, ExitCode::run_failed, {"iterations 40-44", "iteration 42 is unlucky"});
}

TEST(ThreadFarm, ReportsWhateverABodyThrows) {
  Farm farm({.scheduler = "send:5", .workers = 2});
  const auto number = [](Index i) -> Index { return i == 42 ? throw 42 : i; };
  const auto nothing = [](Index i) -> Index { return i == 42 ? throw NoText() : i; };
  const auto reason = [&](const auto& body) { return thrown_text([&] { farm.map<Index>(100, body); }); };
  EXPECT_THAT(reason(number), testing::HasSubstr("42 (an exception of unknown type; "));
  EXPECT_THAT(reason(nothing), testing::HasSubstr("42 (an exception without a text; "));
  // With so many iterations a block contains several.
  const auto sum = [&](const auto& body) {
    return thrown_text([&] { farm.reduce(200'000, Index{0}, body, std::plus<>()); });
  };
  EXPECT_THAT(sum(number), testing::HasSubstr("iteration 42: an exception of unknown type"));
  EXPECT_THAT(sum(nothing), testing::HasSubstr("iteration 42: an exception without a text"));
}

TEST(ThreadFarm, AnObserverThatThrowsEndsTheRunInGoodOrder) {
  Farm farm({.workers = 2});
  Squares squares(farm, 100, 1, 0, Memory::farm);
  int calls = 0;
  expect_failure(farm, squares, ExitCode::run_failed, {"an exception of unknown type"},
                 {.on_status = [&](const LoopStatus& status) {
                   if (++calls; status.done == status.iterations) throw 42;
                 }});
  EXPECT_GE(calls, 1);
}

TEST(ThreadFarm, LeavesOutAnIterationThatFailsWhereAsked) {
  for (const Reissue reissue : {Reissue::off, Reissue::on})
    for (const char* scheduler : {"send:1", "send:5", "gss"}) {
      Farm farm(
          {.scheduler = scheduler, .workers = 3, .prefetch = 2, .reissue = reissue, .on_failure = "skip"});
      expect_one_left_out(farm, {}, 42);
    }
}

/// Fails so many times, and says where it is.
class Moody final : public Workload {
 public:
  explicit Moody(int failures) : failures_(failures) {}
  Index iterations() const override { return 50; }
  void compute(Work& work) override {
    for (Index i = work.chunk().first; i < work.chunk().end(); ++i) {
      work.at(i);
      if (i == 30 && failures_-- > 0) throw std::runtime_error("not now");
      ++computed[static_cast<std::size_t>(i)];
    }
  }
  std::vector<std::atomic<int>> computed = std::vector<std::atomic<int>>(50);

 private:
  std::atomic<int> failures_;
};

TEST(ThreadFarm, GivesAChunkThatFailedAgainWhereAsked) {
  Farm farm({.scheduler = "send:10", .workers = 2, .on_failure = "retry:2"});
  Moody moody(2);
  EXPECT_EQ(farm.run(moody).chunks_total, 5);
  EXPECT_TRUE(std::ranges::all_of(moody.computed, [](const auto& count) { return count >= 1; }));
  Moody worse(3);
  expect_failure(
      farm, worse, ExitCode::run_failed,
      {"failed on iteration 30 after 2 retries (not now; ", " of 50 iterations were in finished chunks"});
}

TEST(ThreadFarm, RefusesAFailureRuleThatIsNone) {
  for (const char* rule : {"give-up", "retry:-1", "retry:101", "end:1", "skip:x"})
    EXPECT_THROW(Farm({.workers = 1, .on_failure = rule}), UsageError) << rule;
  EXPECT_EQ(Farm({.workers = 1, .on_failure = "skip:2"}).options().on_failure, "skip:times=2");
}

TEST(ThreadFarm, ACopyReplacesALateResult) {
  for (const Index prefetch : {0, 3})
    expect_copy_to_win({.scheduler = "send:1", .workers = 3, .prefetch = prefetch, .reissue = Reissue::on},
                       WorkerId{1});
}

TEST(ThreadFarm, TellsWhyTheSharedInputCannotBePrepared) {
  Farm farm({.scheduler = "send:5", .workers = 2});
  Squares squares(farm, 100, 1, 3000, Memory::farm);
  squares.fails_to_prepare = true;
  expect_failure(farm, squares, ExitCode::run_failed, {"no way to prepare this"});
}

TEST(ThreadFarm, EndsWhenInterrupted) {
  Farm farm({.scheduler = "send:1", .workers = 2});
  Squares squares(farm, 100000, 1, 0, Memory::farm);
  squares.sleep_s = 1e-3;
  const std::atomic<bool> interrupted = true;
  expect_failure(farm, squares, ExitCode::interrupted, {"interrupted"},
                 {.on_progress = {}, .interrupted = &interrupted});
}

TEST(ThreadFarm, AccountsForAllTime) {
  Farm farm({.scheduler = "send:1", .workers = 2});
  Squares squares(farm, 40, 1, 0, Memory::farm);
  squares.sleep_s = 5e-3;
  const RunRecord record = farm.run(squares);
  EXPECT_LT(worst_account_gap(record), 0.01);
  ASSERT_EQ(record.chunks.size(), 40u);
  for (const ChunkRecord& chunk : record.chunks) {
    EXPECT_GE(chunk.assigned_s, 0);
    EXPECT_LE(chunk.assigned_s, chunk.received_s);
    EXPECT_LE(chunk.received_s, chunk.begun_s);
    EXPECT_GE(chunk.ended_s - chunk.begun_s, 5e-3);
    EXPECT_LE(chunk.ended_s, chunk.returned_s);
    EXPECT_LE(chunk.returned_s, record.makespan_s);
    EXPECT_LT(chunk.cpu_s, 5e-3);  // it slept
  }
}

/// Sleeps, and counts what is computed together.
class Together final : public Workload {
 public:
  explicit Together(Index at_once) : at_once_(at_once) {}
  Index iterations() const override { return 60; }
  Index iterations_at_once() const override { return at_once_; }
  void compute(Work& work) override {
    for (Index i = work.chunk().first; i < work.chunk().end(); ++i) {
      if (i == fails_at) throw std::runtime_error("no luck");
      ++computed[static_cast<std::size_t>(i)];
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  void compute_together(std::span<Work> works) override {
    std::size_t most = most_chunks;
    while (most < works.size() && !most_chunks.compare_exchange_weak(most, works.size())) {
    }
    for (Work& work : works) compute(work);
  }

  std::array<std::atomic<int>, 60> computed{};
  std::atomic<std::size_t> most_chunks = 0;
  Index fails_at = -1;

 private:
  Index at_once_;
};

// All that a worker holds, where those that follow come at once.
TEST(ThreadFarm, ComputesNarrowChunksTogether) {
  Farm farm({.scheduler = "send:1", .workers = 2, .prefetch = 4});
  Together together(100);
  const RunRecord record = farm.run(together);
  for (const auto& times : together.computed) EXPECT_EQ(times, 1);
  EXPECT_GE(together.most_chunks, 2u);
  EXPECT_LE(together.most_chunks, 5u);

  ASSERT_EQ(record.chunks.size(), 60u);
  std::map<WorkerId, double> ended_s;
  for (const ChunkRecord& chunk : record.chunks) {  // in the order of their return
    EXPECT_LE(chunk.assigned_s, chunk.received_s);
    EXPECT_LE(chunk.received_s, chunk.begun_s);
    EXPECT_GE(chunk.begun_s, ended_s[chunk.worker] - 1e-9) << "they have their time one after the other";
    EXPECT_GT(chunk.ended_s, chunk.begun_s);
    EXPECT_LE(chunk.ended_s, chunk.returned_s);
    ended_s[chunk.worker] = chunk.ended_s;
  }
  EXPECT_LT(worst_account_gap(record), 0.01);
}

TEST(ThreadFarm, ComputesWideChunksAlone) {
  for (const auto& [scheduler, at_once, prefetch] :
       {std::tuple{"send:3", Index{5}, Index{4}}, {"send:1", 1, 4}, {"send:1", 100, 1}}) {
    Farm farm({.scheduler = scheduler, .workers = 2, .prefetch = prefetch});
    Together together(at_once);
    farm.run(together);
    EXPECT_EQ(together.most_chunks, 0u);
  }
}

TEST(ThreadFarm, TellsWhichOfTheChunksBegunTogetherFailed) {
  Farm farm({.scheduler = "send:1", .workers = 1, .prefetch = 4});
  Together together(100);
  together.fails_at = 11;
  expect_failure(farm, together, ExitCode::run_failed, {"rank 1 on ", " failed on iteration 11", "no luck"});
}

/// Keeps what its loops' schedulers were told of earlier ones, and says that each learned its own number.
class School {
 public:
  SchedulerTable table() {
    SchedulerTable table;
    table.add({"pupil", "", {}, [this](const SchedulerSpec&, const LoopFacts& loop) {
                 told.push_back(loop.learned.rates);
                 return std::make_unique<Pupil>(static_cast<double>(told.size()));
               }});
    return table;
  }

  std::vector<std::vector<double>> told;

 private:
  class Pupil final : public ChunkScheduler {
   public:
    explicit Pupil(double number) : number_(number) {}
    Cut next(const Request&) override { return {1}; }
    Learned learned() const override { return {{number_}}; }

   private:
    double number_;
  };
};

TEST(ThreadFarm, RemembersWhatWasLearnedOfEachMap) {
  using Rates = std::vector<double>;
  School school;
  Farm farm({.scheduler = "pupil", .workers = 2}, school.table());
  const auto told_to_map = [&](auto value) {
    farm.map<int>(10, value);
    return school.told.back();
  };
  const auto cheap = [](Index) { return 1; };
  const auto dear = [](Index) { return 2; };
  EXPECT_EQ(told_to_map(cheap), Rates{});
  EXPECT_EQ(told_to_map(dear), Rates{}) << "another loop";
  EXPECT_EQ(told_to_map(cheap), Rates{1});
}

TEST(ThreadFarm, RemembersWhatWasLearnedOfEachLoop) {
  using Rates = std::vector<double>;
  School school;
  Farm farm({.scheduler = "pupil", .workers = 2}, school.table());
  const auto told_when_running = [&](Workload& workload) {
    farm.run(workload);
    return school.told.back();
  };
  Squares squares(farm, 10, 1, 0, Memory::farm), longer(farm, 11, 1, 0, Memory::farm),
      wider(farm, 10, 2, 0, Memory::farm);
  Together other(1);
  EXPECT_EQ(told_when_running(squares), Rates{});
  EXPECT_EQ(told_when_running(squares), Rates{1});
  EXPECT_EQ(told_when_running(other), Rates{}) << "another class";
  EXPECT_EQ(told_when_running(squares), Rates{2});
  squares.fail_at = 5;
  expect_failure(farm, squares, ExitCode::run_failed, {"iteration 5 is unlucky"});
  squares.fail_at = -1;
  EXPECT_EQ(told_when_running(squares), Rates{4}) << "of the run before the one that failed";
  EXPECT_EQ(told_when_running(longer), Rates{});
  EXPECT_EQ(told_when_running(wider), Rates{}) << "more bytes";
  EXPECT_EQ(told_when_running(other), Rates{3});
}

/// On worker 1 an iteration takes six times as long as on worker 0.
class Unequal final : public Workload {
 public:
  Index iterations() const override { return 140; }
  void compute(Work& work) override {
    const Index each_ms = work.worker() == WorkerId{0} ? 1 : 6;
    std::this_thread::sleep_for(std::chrono::milliseconds(work.chunk().size * each_ms));
  }
};

TEST(ThreadFarm, AdaptiveBeginsTheNextRunWithTheRatesItKnows) {
  Farm farm({.scheduler = "adaptive:20,1,80", .workers = 2});
  const auto first_sizes = [&] {
    Unequal unequal;
    const RunRecord record = farm.run(unequal);
    std::map<WorkerId, Chunk> first;
    for (const ChunkRecord& chunk : record.chunks)
      if (const auto [at, is_new] = first.emplace(chunk.worker, chunk.chunk); !is_new)
        at->second = std::min(at->second, chunk.chunk, [](Chunk a, Chunk b) { return a.first < b.first; });
    return std::pair{first[WorkerId{0}].size, first[WorkerId{1}].size};
  };
  EXPECT_EQ(first_sizes(), std::pair(Index{20}, Index{20}));
  const auto [fast, slow] = first_sizes();  // at exactly their rates 34 and 6
  EXPECT_GT(fast, 20);
  EXPECT_LT(slow, 20);
}

/// Iteration i is i + 1 units of work.
class Weighted final : public Workload {
 public:
  Index iterations() const override { return 20; }
  double work(Chunk chunk) const override {
    double sum = 0;
    for (Index i = chunk.first; i < chunk.end(); ++i) sum += static_cast<double>(i + 1);
    return sum;
  }
  void compute(Work&) override { std::this_thread::sleep_for(std::chrono::milliseconds(1)); }
};

TEST(ThreadFarm, TellsHowMuchWorkEachWorkerDid) {
  Farm farm({.scheduler = "send:1", .workers = 2});
  Weighted weighted;
  const RunRecord record = farm.run(weighted);
  double all = 0;
  for (const RankRecord& rank : record.ranks)
    if (rank.worker) all += rank.work.value();
  EXPECT_DOUBLE_EQ(all, 210);
  EXPECT_FALSE(record.ranks.front().work) << "the master computes nothing";
}

/// One iteration for each of three workers. Worker 0 is done with its own at once and takes long for a copy
/// of worker 1's, which comes second; then it is quick with a copy of worker 2's, which ends the run while
/// the others still compute.
class Raced final : public Workload {
 public:
  Index iterations() const override { return 3; }
  double work(Chunk chunk) const override { return static_cast<double>(chunk.first + 1); }
  void compute(Work& work) override {
    const std::size_t worker = to_number(work.worker());
    const auto& lengths = lengths_ms_[worker];
    const std::size_t turn = std::min(turns_[worker]++, lengths.size() - 1);
    std::this_thread::sleep_for(std::chrono::milliseconds(lengths[turn]));
  }

 private:
  std::array<std::vector<int>, 3> lengths_ms_{{{20, 250, 20}, {150, 900}, {900}}};
  std::array<std::size_t, 3> turns_{};
};

TEST(ThreadFarm, CountsTheWorkOfCopiesAndTellsNoneWhereACopyWasNotDone) {
  Farm farm({.scheduler = "send:1", .workers = 3, .reissue = Reissue::on});
  Raced raced;
  const RunRecord record = farm.run(raced);
  EXPECT_TRUE(std::ranges::any_of(record.chunks, &ChunkRecord::is_duplicate));
  std::map<std::uint32_t, std::optional<double>> work;
  for (const RankRecord& rank : record.ranks)
    if (rank.worker) work[to_number(*rank.worker)] = rank.work;
  EXPECT_EQ(work[0], 1 + 2 + 3);
  EXPECT_EQ(work[1], std::nullopt);
  EXPECT_EQ(work[2], std::nullopt);
}

TEST(ThreadFarm, TimesLongChunksThatFollowShortOnes) {
  Farm farm({.scheduler = "send:1", .workers = 1});
  Squares squares(farm, 160, 1, 0, Memory::farm);
  squares.sleep_s = 2e-3;
  squares.sleeps_from = 100;
  const RunRecord record = farm.run(squares);
  const auto long_chunks = std::ranges::count_if(
      record.chunks, [](const ChunkRecord& chunk) { return chunk.ended_s - chunk.begun_s >= 1.9e-3; });
  EXPECT_GE(long_chunks, 60);  // others may hold up a short one
  const RankRecord& worker = record.ranks.back();
  EXPECT_GE(worker.computing_s + worker.stolen_s + worker.blocked_s, 60 * 1.9e-3);
  EXPECT_LT(worst_account_gap(record), 0.01);
}

TEST(ThreadFarm, TellsABodyThatSleepsFromOneThatIsDisturbed) {
  if (!most_taken_s()) GTEST_SKIP() << "the kernel does not tell";
  Farm farm({.scheduler = "send:1", .workers = 1});
  const RunRecord record =
      farm.for_chunks(20, [](Chunk) { std::this_thread::sleep_for(std::chrono::milliseconds(5)); });
  const RankRecord& worker = record.ranks.back();
  EXPECT_GT(worker.blocked_s, record.makespan_s / 2);
  EXPECT_LE(worker.blocked_s, worker.idle_s);
  EXPECT_LT(worst_account_gap(record), 0.01);
}

TEST(ThreadFarm, DisturbsEveryRunAlike) {
  Farm farm({.scheduler = "send:1", .workers = 2, .load = "on=20ms,off=20ms,phase=random,where=2"});
  Squares squares(farm, 40, 1, 0, Memory::farm);
  squares.sleep_s = 5e-3;
  std::vector<double> phases;
  for (int run = 0; run < 2; ++run) {
    const RunRecord record = farm.run(squares);
    ASSERT_TRUE(record.load);
    ASSERT_EQ(record.load->ranks.size(), 1u);
    const LoadedRank& rank = record.load->ranks[0];
    EXPECT_EQ(rank.rank, 2);
    EXPECT_GE(rank.cycles, 2);
    EXPECT_GT(rank.on_s, 0.2 * record.makespan_s);
    EXPECT_LT(rank.on_s, 0.8 * record.makespan_s);
    EXPECT_GT(rank.cpu_s, 0);
    phases.push_back(rank.phase_s);
  }
  EXPECT_EQ(phases[0], phases[1]);
}

TEST(ThreadFarm, AFailureEndsTheLoadToo) {
  Farm farm({.scheduler = "send:1", .workers = 2, .load = "constant,where=all"});
  Squares squares(farm, 10, 1, 10, Memory::farm);
  squares.fails_to_prepare = true;
  expect_failure(farm, squares, ExitCode::run_failed, {"no way to prepare this"});
}

TEST(Farm, RefusesOptionsThatMakeNoSense) {
  EXPECT_THROW(Farm({.scheduler = "gs"}), UsageError);
  EXPECT_THROW(Farm({.workers = -1}), UsageError);
  EXPECT_THROW(Farm({.prefetch = -1}), UsageError);
  EXPECT_THROW(Farm({.crash_limit = -1}), UsageError);
  EXPECT_THROW(Farm({.crash_limit = 256}), UsageError);
  EXPECT_THROW(Farm({.load = "on=1s"}), UsageError);
  EXPECT_THROW(Farm({.workers = 2, .load = "constant,where=3"}), UsageError);
}

}  // namespace
}  // namespace loadshare::test
