#include <fstream>
#include <string>

#include "runtime/farm/program.hpp"
#include "tests/runtime/farm/farm_cases.hpp"
#include "tests/runtime/farm/ranks.hpp"

// With ranks under mpirun, and with ranks that are threads over a fake of MPI.

namespace loadshare::test {
namespace {

class MpiFarm : public testing::TestWithParam<FarmCase> {};

TEST_P(MpiFarm, ComputesEveryIterationOnce) {
  as_each_rank([] { run_and_check(GetParam()); });
}

// Widths in doubles: results and inputs of a chunk from a few bytes up to megabytes, far beyond what MPI
// sends without a waiting receiver.
INSTANTIATE_TEST_SUITE_P(
    OneHost, MpiFarm,
    testing::Values(
        FarmCase{"SharedMemory"}, FarmCase{"Coordinates", {.master = MasterMode::coordinates}},
        FarmCase{"NoIterations", {}, 0}, FarmCase{"OneIteration", {}, 1}, FarmCase{"NoData", {}, 50, 0, 0},
        FarmCase{"Prefetch", {.scheduler = "send:1", .prefetch = 4}, 2000, 10},
        FarmCase{"Reissue", {.scheduler = "send:3", .reissue = Reissue::on}, 200},
        FarmCase{"OwnMemory", {.scheduler = "send:2"}, 100, 1000, 2500, Memory::own},
        FarmCase{
            "OwnMemoryPrefetch", {.scheduler = "send:3", .prefetch = 3}, 60, many(100000), 2500, Memory::own},
        FarmCase{"Nap", {.scheduler = "send:1", .wait = WaitPolicy::nap}, 500},
        FarmCase{"Yield", {.scheduler = "send:1", .wait = WaitPolicy::yield}, 500}),
    [](const testing::TestParamInfo<FarmCase>& farm) { return farm.param.name; });

INSTANTIATE_TEST_SUITE_P(
    SeveralHosts, MpiFarm,
    testing::Values(
        FarmCase{"EachItsOwn", {.ranks_per_host = 1}},
        FarmCase{"EachItsOwnCoordinates", {.master = MasterMode::coordinates, .ranks_per_host = 1}},
        FarmCase{"Pairs", {.ranks_per_host = 2}, 300, 50},
        FarmCase{"LargeMessages", {.scheduler = "send:3", .ranks_per_host = 1}, 60, many(100000)},
        FarmCase{"LargeMessagesPrefetch",
                 {.scheduler = "send:3", .prefetch = 4, .ranks_per_host = 1},
                 60,
                 many(100000)},
        FarmCase{
            "SmallMessagesPrefetch", {.scheduler = "send:1", .prefetch = 4, .ranks_per_host = 1}, 3000, 2},
        FarmCase{"LongSharedInput", {.ranks_per_host = 1}, 10, 1, many(2000000)},
        FarmCase{"LongPieces", {.ranks_per_host = 1}, 10, 1, many(2000000), Memory::farm, many(400000)},
        FarmCase{"NoIterations", {.ranks_per_host = 1}, 0},
        FarmCase{"Reissue", {.scheduler = "send:3", .reissue = Reissue::on, .ranks_per_host = 2}, 200},
        FarmCase{"Spin", {.scheduler = "send:3", .wait = WaitPolicy::spin, .ranks_per_host = 1}, 50}),
    [](const testing::TestParamInfo<FarmCase>& farm) { return farm.param.name; });

class MasterRank : public testing::TestWithParam<int> {};

TEST_P(MasterRank, MayBeAnyRank) {
  as_each_rank([] {
    run_and_check({"", {.master_rank = ranks() - 1, .ranks_per_host = GetParam()}, 200, 20});
  });
}
INSTANTIATE_TEST_SUITE_P(Hosts, MasterRank, testing::Values(0, 1, 2));

std::size_t shared_mappings() {
  std::ifstream maps("/proc/self/maps");
  std::size_t count = 0;
  for (std::string line; std::getline(maps, line);)
    count += line.find("/dev/shm") != std::string::npos ? 1U : 0U;
  return count;
}

// As a program does that calls a loop in each of its steps.
TEST(MpiFarm, RunsAgainInTheMemoryThatItHas) {
  as_each_rank([] {
    const FarmCase loop{"", {}, 20, 1, 0, Memory::own};
    Farm farm(loop.options);
    run_and_check(farm, loop);
    const std::size_t before = shared_mappings();
    for (int again = 0; again < 10; ++again) run_and_check(farm, loop);
    EXPECT_EQ(shared_mappings(), before);
  });
}

TEST(MpiFarm, RefusesAMasterThatIsNotThere) {
  as_each_rank([] { EXPECT_THROW(Farm({.master_rank = ranks()}), UsageError); }, Ending::by_error);
}

// All ranks find the same difference, and none waits for another.
TEST(MpiFarm, RefusesOptionsThatRanksDoNotShare) {
  as_each_rank([] {
    const bool is_master = Farm({}).is_master();
    if (ranks() == 1) return;
    EXPECT_THROW(Farm({.prefetch = is_master ? 0 : 4}), AgreedError);
  });
}

class MpiFailure : public testing::TestWithParam<int> {};

TEST_P(MpiFailure, ReachesEveryRank) {
  as_each_rank([] {
    Farm farm({.scheduler = "send:5", .ranks_per_host = GetParam()});
    Squares squares(farm, 100, 1, 3000, Memory::farm);
    squares.fail_at = 42;
    expect_failure(farm, squares, ExitCode::run_failed, {"iterations 40-44", "iteration 42 is unlucky"});
  });
}
// What is still on its way to, or between, the other hosts must not be taken for part of the next run.
TEST_P(MpiFailure, WhileTheSharedInputTravelsSpoilsNoLaterRun) {
  as_each_rank([] {
    Farm farm({.scheduler = "send:5", .ranks_per_host = GetParam()});
    for (int round = 0; round < 4; ++round) {
      Squares failing(farm, 100, 1, many(2000000), Memory::farm);
      failing.fail_at = 5 * (round % 2);  // on the first worker, or on another: before it reads what travels
      expect_failure(farm, failing, ExitCode::run_failed, {"is unlucky"});
      Squares squares(farm, 100, 1, many(500000) + 1234 * static_cast<std::size_t>(round), Memory::farm);
      farm.run(squares);
      if (farm.is_master()) {
        EXPECT_EQ(squares.first_wrong(), -1);
      }
    }
  });
}
// On several hosts it may be the master's own thread that prepares, and fails.
TEST_P(MpiFailure, InPreparingReachesEveryRank) {
  as_each_rank([] {
    for (const MasterMode master : {MasterMode::works, MasterMode::coordinates}) {
      Farm farm({.scheduler = "send:5", .master = master, .ranks_per_host = GetParam()});
      Squares squares(farm, 100, 1, 3000, Memory::farm);
      squares.fails_to_prepare = true;
      expect_failure(farm, squares, ExitCode::run_failed, {"no way to prepare this"});
    }
  });
}
INSTANTIATE_TEST_SUITE_P(Hosts, MpiFailure, testing::Values(0, 1));

class MpiLoops : public testing::TestWithParam<int> {};

// The second loop reads what the first has left on every rank.
TEST_P(MpiLoops, FollowOneAnother) {
  as_each_rank([] {
    Farm farm({.scheduler = "send:7", .ranks_per_host = GetParam()});
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

TEST_P(MpiLoops, AreAsLongAsTheMasterSays) {
  as_each_rank([] {
    Farm farm({.ranks_per_host = GetParam()});
    for (const Index iterations : {Index{0}, Index{100}, Index{100'000}})
      for (const Index elsewhere : {Index{0}, Index{33}, Index{200'000}}) {
        const Index said = farm.is_master() ? iterations : elsewhere;
        EXPECT_EQ(farm.map<char>(said, [](Index) { return 'x'; }).size(),
                  static_cast<std::size_t>(iterations));
        EXPECT_EQ(farm.reduce(
                      said, Index{0}, [](Index i) { return i; }, std::plus<>()),
                  iterations * (iterations - 1) / 2);
      }
  });
}

// Neither what it was in an earlier loop, nor a factor of 0.
TEST_P(MpiLoops, LeaveOutWhatIsSkipped) {
  as_each_rank([] {
    Farm farm({.scheduler = "send:3", .on_failure = "skip:0", .ranks_per_host = GetParam()});
    const auto twos_but = [](Index unlucky) {
      return [unlucky](Index i) {
        if (i == unlucky) throw std::runtime_error("unlucky");
        return 2.0;
      };
    };
    for (const Index unlucky : {Index{-1}, Index{4}}) {
      const std::vector<double> twos = farm.map<double>(10, twos_but(unlucky));
      for (Index i = 0; i < 10; ++i) EXPECT_EQ(twos[static_cast<std::size_t>(i)], i == unlucky ? 0 : 2);
      EXPECT_EQ(farm.reduce(Index{10}, 1.0, twos_but(unlucky), std::multiplies<>()),
                unlucky < 0 ? 1024 : 512);
    }
  });
}

TEST_P(MpiLoops, ReadTheirDataOnTheMasterAlone) {
  as_each_rank([] {
    Farm farm({.scheduler = "send:3", .ranks_per_host = GetParam()});
    std::vector<double> a, x, y;
    if (farm.is_master()) {
      a.assign(200, 2);
      x.assign(many(600000), 0.5);
      y.assign(100, -1);
    }
    const auto body = [](Chunk, auto pairs, auto all, auto sums) {
      for (std::size_t i = 0; i < sums.size(); ++i)
        sums[i] =
            pairs[2 * i] + pairs[2 * i + 1] + all.front() + all.back() + static_cast<double>(all.size());
    };
    farm.for_chunks(100, in(a), shared(x), out(y), body);
    EXPECT_EQ(y, std::vector<double>(100, 5 + static_cast<double>(many(600000))));
    OnMaster<std::vector<double>> here;
    if (farm.is_master()) here = OnMaster(std::vector<double>(100));
    farm.for_chunks(100, in(a), shared(x), out(here), body);
    if (farm.is_master()) {
      EXPECT_EQ(*here, y);
    } else {
      EXPECT_THROW(*here, Error);
    }
    OnMaster<std::vector<double>> by_all(std::vector<double>(100));
    farm.for_chunks(100, in(a), shared(x), out(by_all), body);
    EXPECT_EQ(by_all.has_value(), farm.is_master());
    if (farm.is_master()) {
      EXPECT_EQ(*by_all, y);
    }
    OnMaster<std::vector<int>> kept = farm.map<int>(
        50, [](Index) { return 1; }, Keep::on_master);
    if (farm.is_master()) {
      EXPECT_EQ(kept->size(), 50u);
    } else {
      EXPECT_THROW(*kept, Error);
    }
  });
}
INSTANTIATE_TEST_SUITE_P(Hosts, MpiLoops, testing::Values(0, 1, 2));

class MpiReissue : public testing::TestWithParam<int> {};

TEST_P(MpiReissue, ACopyReplacesALateResult) {
  as_each_rank([] {
    const auto last = WorkerId{static_cast<std::uint32_t>(ranks() - 1)};
    for (const WorkerId late : {WorkerId{0}, last})
      for (const Index prefetch : {0, 3})
        expect_copy_to_win({.scheduler = "send:1",
                            .prefetch = prefetch,
                            .reissue = Reissue::on,
                            .ranks_per_host = GetParam()},
                           late);
  });
}
// Who prepares in place and is stopped would hold up the others.
TEST_P(MpiReissue, OnlyTheMasterPreparesTheSharedInput) {
  as_each_rank([] {
    for (const MasterMode master : {MasterMode::works, MasterMode::coordinates}) {
      Farm farm(
          {.scheduler = "send:1", .master = master, .reissue = Reissue::on, .ranks_per_host = GetParam()});
      Squares squares(farm, 100, 1, 30000, Memory::farm);
      farm.run(squares);
      EXPECT_EQ(squares.has_prepared, farm.is_master());
      if (farm.is_master()) {
        EXPECT_EQ(squares.first_wrong(), -1);
      }
    }
  });
}
INSTANTIATE_TEST_SUITE_P(Hosts, MpiReissue, testing::Values(0, 1, 2));

}  // namespace
}  // namespace loadshare::test
