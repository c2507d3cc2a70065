#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <map>
#include <thread>

#include "tests/runtime/farm/farm_cases.hpp"
#include "tests/runtime/transport/tcp/tcp_ranks.hpp"

// The master and the processes that join it are threads of this one, and talk over loopback.

namespace loadshare::test {
namespace {

const std::vector<std::vector<Index>> farms{{}, {1}, {2}, {1, 1}, {1, 2, 1}};

class TcpFarm : public testing::TestWithParam<FarmCase> {};

TEST_P(TcpFarm, ComputesEveryIterationOnce) {
  for (const std::vector<Index>& workers : farms) {
    if (workers.empty() && GetParam().options.master == MasterMode::coordinates) continue;
    as_each_process(GetParam().options, workers, [](Farm& farm) { run_and_check(farm, GetParam()); });
  }
}

INSTANTIATE_TEST_SUITE_P(
    Loopback, TcpFarm,
    testing::Values(FarmCase{"Default"}, FarmCase{"Coordinates", {.master = MasterMode::coordinates}},
                    FarmCase{"TwoOfTheMaster", {.workers = 2}}, FarmCase{"NoIterations", {}, 0},
                    FarmCase{"OneIteration", {}, 1}, FarmCase{"NoData", {}, 50, 0, 0},
                    FarmCase{"Prefetch", {.scheduler = "send:1", .prefetch = 4}, 2000, 10},
                    FarmCase{"OwnMemory", {.scheduler = "send:2"}, 100, 1000, 2500, Memory::own},
                    FarmCase{"LargeMessages",
                             {.scheduler = "send:3", .master = MasterMode::coordinates, .prefetch = 3},
                             40,
                             100000},
                    FarmCase{"LongSharedInput", {}, 10, 1, 1000000},
                    FarmCase{
                        "SharedInputOfACoordinator", {.master = MasterMode::coordinates}, 10, 1, 1000000},
                    FarmCase{"LongPieces", {}, 10, 1, 1000000, Memory::farm, 400000},
                    FarmCase{"Yield", {.scheduler = "send:1", .wait = WaitPolicy::yield}, 200}),
    [](const testing::TestParamInfo<FarmCase>& farm) { return farm.param.name; });

TEST(TcpFarm, RunsLoopsOneAfterTheOther) {
  as_each_process({.scheduler = "send:7"}, {1, 2}, [](Farm& farm) {
    for (const Index iterations : {Index{100}, Index{1}, Index{1000}}) {
      const std::vector<Index> first = farm.map<Index>(iterations, [](Index i) { return 3 * i; });
      const std::vector<Index> second = farm.map<Index>(
          iterations, [&](Index i) { return first[static_cast<std::size_t>(iterations - 1 - i)]; });
      ASSERT_EQ(second.size(), static_cast<std::size_t>(iterations));
      for (Index i = 0; i < iterations; ++i)
        ASSERT_EQ(second[static_cast<std::size_t>(i)], 3 * (iterations - 1 - i));
      EXPECT_EQ(farm.reduce(
                    iterations, Index{0}, [&](Index i) { return first[static_cast<std::size_t>(i)]; },
                    std::plus<>()),
                3 * iterations * (iterations - 1) / 2);
    }
  });
}

TEST(TcpFarm, TellsEveryProcessOfAFailure) {
  as_each_process({.scheduler = "send:5"}, {1, 2}, [](Farm& farm) {
    for (int round = 0; round < 3; ++round) {
      Squares failing(farm, 100, 1, 30000, Memory::farm);
      failing.fail_at = 42;
      expect_failure(farm, failing, ExitCode::run_failed, {"iterations 40-44", "iteration 42 is unlucky"});
      run_and_check(farm, {"after a failure"});
    }
  });
}

TEST(TcpFarm, LeavesOutWhatCannotBeComputed) {
  as_each_process({.scheduler = "send:5", .master = MasterMode::coordinates, .on_failure = "skip"}, {1, 2},
                  [](Farm& farm) { expect_one_left_out(farm, {"skip"}, 42); });
}

// Whoever comes late is told all that was said, and what earlier loops left everywhere.
/// A process of its own, for it ends with its error. Its chunks need more than any host has.
pid_t join_without_memory(const std::string& address) {
  const pid_t child = fork();
  if (child != 0) return child;
  Farm farm({.workers = 1, .network = {.join = address}});
  Squares squares(farm, 20, 3, 10, Memory::farm);
  squares.more_input_bytes = std::size_t{1} << 50;
  farm.run(squares);
  _exit(0);
}

TEST(TcpFarm, LetsWhoHasNoMemoryForAChunkLeaveAndBlamesNobody) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a sanitizer ends the program in its own way";
#endif
  pid_t child = 0;
  FarmOptions options{.scheduler = "send:1", .workers = 1, .network = {.listen = "127.0.0.1:0", .expect = 2}};
  options.network.note =
      note_address([&](const std::string& address) { child = join_without_memory(address); });
  Farm farm(options);
  Squares squares(farm, 20, 3, 10, Memory::farm);
  squares.sleep_s = 20e-3;
  const RunRecord record = farm.run(squares);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), static_cast<int>(ExitCode::run_failed));
  EXPECT_EQ(squares.first_wrong(), -1);
  std::vector<MemberEvent::What> life;
  for (const MemberEvent& event : record.membership->events)
    if (event.worker == WorkerId{1}) life.push_back(event.what);
  EXPECT_THAT(life, testing::ElementsAre(MemberEvent::What::joined, MemberEvent::What::left));
}

TEST(TcpFarm, TakesWhoComesLateToTheSamePoint) {
  std::string address;
  std::vector<std::jthread> members;
  std::atomic<int> summed{0};
  const Body body = [&](Farm& farm) {
    const std::vector<Index> first = farm.map<Index>(100, [](Index i) { return 3 * i; });
    if (farm.is_master()) members.push_back(join_farm(address, 2, body));
    Squares squares(farm, 200, 3, 2500, Memory::farm);
    squares.sleep_s = 2e-3;
    const RunRecord record = farm.run(squares);
    if (farm.is_master()) {
      EXPECT_EQ(squares.first_wrong(), -1);
      EXPECT_EQ(record.workers, 3) << "it came in time";
      EXPECT_GT(record.ranks.back().iterations, 0);
    }
    summed += static_cast<int>(farm.reduce(
        100, Index{0}, [&](Index i) { return first[static_cast<std::size_t>(i)]; }, std::plus<>()));
  };
  FarmOptions options{.scheduler = "send:1", .workers = 1, .network = {.listen = "127.0.0.1:0"}};
  options.network.note = note_address([&](const std::string& where) { address = where; });
  {
    Farm farm(options);
    body(farm);
  }
  members.clear();
  EXPECT_EQ(summed, 2 * 3 * 99 * 100 / 2);
}

/// The ranks of the record's workers, by their numbers in it.
std::map<std::uint32_t, int> ranks_by_worker(const RunRecord& record) {
  std::map<std::uint32_t, int> ranks;
  for (const RankRecord& row : record.ranks)
    if (row.worker) ranks[to_number(*row.worker)] = row.rank;
  return ranks;
}

// The first process leaves after the first loop. Nobody gets its rank, so one that was read before still
// names the same worker.
TEST(TcpFarm, KeepsARankForItsWorkerInLaterLoops) {
  std::string address;
  std::vector<std::jthread> members;
  std::atomic<bool> has_both{false};
  const auto wait_for_both = [&](Index i) {
    for (int look = 0; !has_both && look < 2000; ++look)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    return i;
  };
  const Body of_first = [&](Farm& farm) { farm.map<Index>(20, wait_for_both); };
  const Body of_others = [&](Farm& farm) {
    farm.map<Index>(20, wait_for_both);
    Squares squares(farm, 200, 3, 10, Memory::farm);
    squares.sleep_s = 5e-3;
    const RunRecord record = farm.run(squares);
    if (farm.is_master()) {
      EXPECT_EQ(ranks_by_worker(record), (std::map<std::uint32_t, int>{{0, 1}, {1, 3}, {2, 4}}));
    }
  };
  FarmOptions options{.scheduler = "send:1", .workers = 1, .network = {.listen = "127.0.0.1:0"}};
  const auto join_first = note_address([&](const std::string& where) {
    address = where;
    members.push_back(join_farm(address, 1, of_first));
  });
  options.network.note = [&](const std::string& note) {
    join_first(note);
    if (note.starts_with("rank 2 on ") && note.ends_with(" joined with 1 worker"))
      members.push_back(join_farm(address, 2, of_others));
    if (note.starts_with("ranks 3-4 on ") && note.ends_with(" joined with 2 workers")) has_both = true;
  };
  {
    Farm farm(options);
    of_others(farm);
  }
  EXPECT_TRUE(has_both);
}

}  // namespace
}  // namespace loadshare::test
