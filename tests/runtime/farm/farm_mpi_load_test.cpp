#include <mpi.h>

#include <optional>

#include "runtime/host/scheduling.hpp"
#include "tests/runtime/farm/farm_cases.hpp"
#include "tests/runtime/farm/ranks.hpp"

// Farms that judge times, or are beside loads, which are forked: for processes as ranks, without sanitizers.
namespace loadshare::test {
namespace {

class LoadedMpiFarm : public testing::TestWithParam<FarmCase> {};

TEST_P(LoadedMpiFarm, ComputesEveryIterationOnce) {
  run_and_check(GetParam());
}
INSTANTIATE_TEST_SUITE_P(
    Hosts, LoadedMpiFarm,
    testing::Values(FarmCase{"One", {.scheduler = "send:3", .load = "on=5ms,off=5ms,where=all"}, 200},
                    FarmCase{
                        "EachItsOwn",
                        {.scheduler = "send:3", .load = "on=5ms,off=5ms,phase=random", .ranks_per_host = 1},
                        200}),
    [](const testing::TestParamInfo<FarmCase>& farm) { return farm.param.name; });

// As where mpirun deals ranks out to sockets in turn: a neighbour in rank is none on the processors.
TEST(LoadedMpiFarm, SpreadsLoadedRanksOverTheProcessorsTheyHaveInCommon) {
  const std::vector<int> cpus = allowed_cpus();
  if (ranks() < 3 || cpus.size() < 2) GTEST_SKIP() << "takes 3 ranks and 2 processors";
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const PinnedThread elsewhere(rank == 0 ? std::optional(cpus.back()) : std::nullopt);
  Farm farm({.load = "constant,where=1-2"});
  Squares squares(farm, 30, 1, 0, Memory::farm);
  const RunRecord record = farm.run(squares);
  if (!farm.is_master()) return;
  ASSERT_EQ(record.load->ranks.size(), 2u);
  EXPECT_EQ(record.load->ranks[0].cpu, cpus[0]);
  EXPECT_EQ(record.load->ranks[1].cpu, cpus[1]);
}

TEST(MpiFarm, AccountsCloseAcrossHosts) {
  Farm farm({.scheduler = "send:1", .ranks_per_host = 1});
  Squares squares(farm, 40, 1000, 3000, Memory::farm);
  squares.sleep_s = 4e-3;
  const RunRecord record = farm.run(squares);
  if (!farm.is_master()) return;
  EXPECT_LT(worst_account_gap(record), 0.01);
  for (const ChunkRecord& chunk : record.chunks) {
    EXPECT_LE(chunk.assigned_s, chunk.received_s + 1e-9);
    EXPECT_LE(chunk.begun_s, chunk.ended_s);
    EXPECT_LE(chunk.ended_s, chunk.returned_s + 1e-9);
  }
}

}  // namespace
}  // namespace loadshare::test
