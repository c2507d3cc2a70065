#include "models/farm/shared_arrival.hpp"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace loadshare::predictor {
namespace {

constexpr double begins_at = 0.5;  // of a second in which the shared input comes

/// As long as its processor time lasts at the speed that is granted.
double alone_s(const RankRecord& rank, const ChunkRecord& chunk) {
  return chunk.cpu_s / rank.capacity;
}

/// A run whose workers on another host had `share`, a first chunk each: begun then, of so much processor
/// time.
RunRecord run_of(double share, double taken, const std::vector<std::pair<double, double>>& first_chunks) {
  RunRecord run;
  run.shared_input_s = 1;
  RankRecord master;
  master.role = Role::master;
  master.host = "a";
  run.ranks = {master};
  for (const auto& [begun_s, cpu_s] : first_chunks) {
    const WorkerId worker{static_cast<std::uint32_t>(run.chunks.size())};
    RankRecord rank;
    rank.host = "b";
    rank.worker = worker;
    rank.capacity = share;
    run.ranks.push_back(rank);
    const double from_s = std::max(begun_s, begins_at);
    ChunkRecord chunk;
    chunk.worker = worker;
    chunk.begun_s = begun_s;
    chunk.ended_s = from_s + cpu_s / share + taken * (1 - from_s);
    chunk.cpu_s = cpu_s;
    run.chunks.push_back(chunk);
  }
  return run;
}

TEST(SharedArrivalTest, IsFoundFromFirstChunks) {
  const std::vector<RunRecord> runs{run_of(0.1, 0.3, {{0.1, 0.12}, {0.6, 0.1}, {0.8, 0.05}}),
                                    run_of(0.3, 0.7, {{0.1, 0.3}, {0.7, 0.2}})};
  const SharedArrival arrival = fit_shared_arrival(runs, alone_s);
  EXPECT_NEAR(arrival.begins_at, begins_at, 1e-9);
  EXPECT_NEAR(arrival.taken_share(0.1), 0.3, 1e-9);
  EXPECT_NEAR(arrival.taken_share(0.29), 0.7, 1e-9);
}

TEST(SharedArrivalTest, DelaysNoWorkerIfItIsUnknown) {
  EXPECT_EQ(fit_shared_arrival({}, alone_s).begins_at, 0);
  EXPECT_EQ(fit_shared_arrival({}, alone_s).taken_share(0.1), 0);
}

TEST(SharedArrivalTest, IgnoresUninformativeChunks) {
  RunRecord loaded = run_of(0.1, 0.3, {{0.1, 0.12}});
  loaded.load.emplace();
  RunRecord of_the_masters_host = run_of(0.1, 0.3, {{0.1, 0.08}});
  of_the_masters_host.ranks[1].host = "a";
  const RunRecord ends_with_the_input = run_of(0.1, 0.3, {{0.1, 0.09}});
  RunRecord begins_behind_it = run_of(0.1, 0.3, {{1.5, 0.08}, {0.95, 0.08}});
  const std::vector<RunRecord> runs{loaded, of_the_masters_host, ends_with_the_input, begins_behind_it};
  EXPECT_TRUE(fit_shared_arrival(runs, alone_s).taken_shares.empty());
}

/// A chunk of the master's own in a run whose shared input took a second.
ChunkRecord of_the_master(double begun_s, double ended_s, double cpu_s) {
  ChunkRecord chunk;
  chunk.worker = WorkerId{7};
  chunk.begun_s = begun_s;
  chunk.ended_s = ended_s;
  chunk.cpu_s = cpu_s;
  return chunk;
}

TEST(SharedArrivalTest, SlowsTheMastersOwnChunksUntilItHasArrived) {
  RunRecord run = run_of(0.1, 0.3, {});
  run.ranks[0].role = Role::working_master;
  run.ranks[0].worker = WorkerId{7};
  run.ranks[0].capacity = 0.5;
  // Alone 0.2, 0.6 and 0.5 s: 0.4 of the second were lost. Chunks that began later give no information.
  run.chunks = {of_the_master(0, 0.4, 0.1), of_the_master(0.4, 1.2, 0.3), of_the_master(1.2, 9, 0.25)};
  EXPECT_NEAR(fit_shared_arrival({&run, 1}, alone_s).masters_share, 0.4, 1e-9);
  run.chunks[1].ended_s = 9;  // mostly computed afterwards
  EXPECT_EQ(fit_shared_arrival({&run, 1}, alone_s).masters_share, 0);
  run.ranks[0].worker.reset();
  EXPECT_EQ(fit_shared_arrival({&run, 1}, alone_s).masters_share, 0);
}

// Under a load that leaves half, computing takes twice as long, as later chunks show; waiting does not.
TEST(SharedArrivalTest, IsFoundUnderALoad) {
  RunRecord run = run_of(0.1, 0.3, {{0.1, 0.12}, {0.6, 0.1}, {0.8, 0.05}});
  run.load.emplace();
  for (ChunkRecord& chunk : run.chunks) chunk.ended_s += chunk.cpu_s / 0.1;
  const std::vector<ChunkRecord> first = run.chunks;
  EXPECT_TRUE(fit_shared_arrival({&run, 1}, alone_s).taken_shares.empty()) << "nothing tells of the load";
  for (ChunkRecord later : first) {
    later.begun_s = 20;
    later.ended_s = 20 + 2 * later.cpu_s / 0.1;
    run.chunks.push_back(later);
  }
  const SharedArrival arrival = fit_shared_arrival({&run, 1}, alone_s);
  EXPECT_NEAR(arrival.begins_at, begins_at, 1e-9);
  EXPECT_NEAR(arrival.taken_share(0.1), 0.3, 1e-9);
}

}  // namespace
}  // namespace loadshare::predictor
