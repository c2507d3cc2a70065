#include "models/efficiency/waiting/ideal_network.hpp"

#include <gtest/gtest.h>

#include <random>

#include "models/efficiency/waiting/accounts.hpp"
#include "tests/models/efficiency/waiting/profile_builder.hpp"

namespace loadshare::waiting {
namespace {

using profile::CallId;

constexpr std::uint64_t large_bytes = 1 << 20;

double ideal_ns(const profile::Profile& profile) {
  return account(profile).ideal.value().run_s * 1e9;
}

/// Rank 0 computes 10, sends in 20; rank 1 receives it from the begin on, and computes 5.
ProfileBuilder chain() {
  ProfileBuilder run(2);
  run.call(0, CallId::Send, {10, 30}, {.peer = 1, .tag = 0, .bytes = large_bytes});
  run.call(1, CallId::Recv, {0, 31}, {.peer = 0, .tag = 0, .bytes = large_bytes});
  return run;
}

TEST(IdealNetwork, MovesDataImmediatelyAndStillWaitsForThem) {
  const profile::Profile profile = chain().built(36);
  const Matching matching(profile);  // must live as long
  const IdealNetwork ideal(matching);
  EXPECT_DOUBLE_EQ(ideal.instant_ns(0, 30), 10);
  EXPECT_DOUBLE_EQ(ideal.instant_ns(1, 31), 10);
  EXPECT_DOUBLE_EQ(ideal.instant_ns(1, 36), 15);
  EXPECT_EQ(ideal.forced(), 0u);
}

/// The busiest rank computes for 16 of 26; on the ideal network the run takes 16.
TEST(IdealNetwork, DividesTransferFromSerialisation) {
  const granularity::RunTimes run = account(chain().built(36));  // rank 0 computes 16, rank 1 5
  EXPECT_DOUBLE_EQ(run.ideal->run_s, 16e-9);
  const granularity::Factors factors = granularity::factors(run);
  EXPECT_DOUBLE_EQ(*factors.serialisation, 1);
  EXPECT_DOUBLE_EQ(*factors.transfer, 16.0 / 36);
  EXPECT_DOUBLE_EQ(factors.load_balance, 21.0 / 32);
}

/// Waiting for a transfer counts as transfer: rank 2 waits for data that rank 1 forwards.
TEST(IdealNetwork, CountsWaitingForADataTransferAsTransfer) {
  ProfileBuilder run(3);
  run.call(0, CallId::Send, {0, 50}, {.peer = 1, .tag = 0, .bytes = large_bytes});
  run.call(1, CallId::Recv, {0, 50}, {.peer = 0, .tag = 0, .bytes = large_bytes});
  run.call(1, CallId::Send, {50, 51}, {.peer = 2, .tag = 0, .bytes = 8});
  run.call(2, CallId::Recv, {0, 51}, {.peer = 1, .tag = 0, .bytes = 8});
  const profile::Profile profile = run.built(60);
  EXPECT_DOUBLE_EQ(ideal_ns(profile), 10);
  EXPECT_DOUBLE_EQ(*granularity::factors(account(profile)).transfer, 10.0 / 60);
}

/// Each computes 10 in turn: nothing is moved, and no rank computes for long.
TEST(IdealNetwork, CountsComputingInTurnAsSerialisation) {
  ProfileBuilder run(2);
  run.call(1, CallId::Recv, {0, 10}, {.peer = 0, .tag = 0});
  run.call(0, CallId::Send, {10, 10}, {.peer = 1, .tag = 0});
  run.call(0, CallId::Recv, {10, 20}, {.peer = 1, .tag = 0});
  run.call(1, CallId::Send, {20, 20}, {.peer = 0, .tag = 0});
  const granularity::RunTimes times = account(run.built(20));
  EXPECT_DOUBLE_EQ(times.ideal->run_s, 20e-9);
  EXPECT_DOUBLE_EQ(*granularity::factors(times).serialisation, 0.5);
  EXPECT_DOUBLE_EQ(*granularity::factors(times).transfer, 1);
}

TEST(IdealNetwork, EndsCollectivesWithTheNeededRanks) {
  const auto three = [](CallId call, int root) {
    ProfileBuilder run(3);
    for (const int rank : {0, 1, 2}) run.call(rank, call, {10 + 10 * rank, 50}, {.peer = root});
    return run.built(50);
  };
  const auto end_ns = [](const profile::Profile& profile, std::uint32_t rank) {
    return IdealNetwork{Matching(profile)}.instant_ns(rank, 50);
  };
  EXPECT_DOUBLE_EQ(end_ns(three(CallId::Barrier, -1), 0), 30);
  EXPECT_DOUBLE_EQ(end_ns(three(CallId::Bcast, 1), 0), 20);
  EXPECT_DOUBLE_EQ(end_ns(three(CallId::Bcast, 0), 0), 10);
  EXPECT_DOUBLE_EQ(end_ns(three(CallId::Reduce, 0), 0), 30);
  EXPECT_DOUBLE_EQ(end_ns(three(CallId::Reduce, 2), 0), 10);
  EXPECT_DOUBLE_EQ(end_ns(three(CallId::Scan, -1), 1), 20);
}

TEST(IdealNetwork, KeepsTheWaitsOfLongSendsOnly) {
  const auto late = [](std::uint64_t bytes) {
    ProfileBuilder run(2);
    run.call(0, CallId::Send, {5, 42}, {.peer = 1, .tag = 0, .bytes = bytes});
    run.call(1, CallId::Recv, {40, 42}, {.peer = 0, .tag = 0, .bytes = bytes});
    return run.built(42);
  };
  EXPECT_DOUBLE_EQ(IdealNetwork{Matching(late(large_bytes))}.instant_ns(0, 42), 40);
  EXPECT_DOUBLE_EQ(IdealNetwork{Matching(late(8))}.instant_ns(0, 42), 5);
}

TEST(IdealNetwork, ExcludesStolenTime) {
  profile::Profile profile = chain().built(36);
  profile.ranks[0].stolen_ns = 8;  // of 16 outside MPI
  EXPECT_DOUBLE_EQ(ideal_ns(profile), 10);
}

/// Both ranks compute for 10, and rank 1 loses 20 to other programs. Those programs, and not the network,
/// make rank 0 wait.
TEST(IdealNetwork, AttributesWaitingForAStolenProcessorToTheProcessor) {
  ProfileBuilder run(2);
  run.call(0, CallId::Barrier, {10, 30});
  run.call(1, CallId::Barrier, {30, 30});
  profile::Profile profile = run.built(30);
  profile.ranks[1].stolen_ns = 20;
  const granularity::RunTimes times = account(profile);
  EXPECT_DOUBLE_EQ(times.ideal->run_s, 10e-9);
  EXPECT_DOUBLE_EQ(times.ideal->run_with_theft_s, 30e-9);
  const granularity::Factors factors = granularity::factors(times);
  EXPECT_DOUBLE_EQ(factors.load_balance, 1);
  EXPECT_DOUBLE_EQ(*factors.serialisation, 1);
  EXPECT_DOUBLE_EQ(*factors.transfer, 1);
  EXPECT_DOUBLE_EQ(factors.processor, 10.0 / 30);
}

/// The receive takes 26: 20 of waiting, 4 stolen, and the remaining 2 of moving data.
TEST(IdealNetwork, KeepsTimeStolenInACall) {
  ProfileBuilder run(2);
  run.call(0, CallId::Send, {20, 21}, {.peer = 1, .tag = 0, .bytes = large_bytes});
  const EventId receive = run.call(1, CallId::Recv, {0, 26}, {.peer = 0, .tag = 0, .bytes = large_bytes});
  run.rank(1).events[receive.event].stolen_ns = 4;
  const profile::Profile profile = run.built(26);
  const Matching matching(profile);  // must live as long
  EXPECT_DOUBLE_EQ(IdealNetwork(matching).instant_ns(1, 26), 20);
  EXPECT_DOUBLE_EQ(IdealNetwork(matching, Theft::kept).instant_ns(1, 26), 24);
}

TEST(IdealNetwork, IsUnknownForARunWithMissingCalls) {
  profile::Profile profile = chain().built(36);
  profile.ranks[1].events_dropped = 1;
  EXPECT_FALSE(account(profile).ideal);
}

/// Rank 0 receives a message that rank 1 sends only after a receive of its own: one of the two receives is
/// released.
TEST(IdealNetwork, EndsIfRanksWaitInACircle) {
  ProfileBuilder run(2);
  run.call(0, CallId::Recv, {1, 5}, {.peer = 1, .tag = 0});
  run.call(0, CallId::Send, {6, 7}, {.peer = 1, .tag = 0});
  run.call(1, CallId::Recv, {2, 7}, {.peer = 0, .tag = 0});
  run.call(1, CallId::Send, {8, 9}, {.peer = 0, .tag = 0});
  const profile::Profile profile = run.built(10);
  const Matching matching(profile);  // must live as long
  const IdealNetwork ideal(matching);
  EXPECT_EQ(ideal.forced(), 1u);
  EXPECT_LE(ideal.instant_ns(1, 10), 10);
}

/// Random runs of two ranks that meet or send one another messages, with theft: no shorter than the longest
/// computing, no longer than the run, and between the two with what was stolen.
TEST(IdealNetwork, TakesBetweenTheComputingAndTheRunTime) {
  std::mt19937 random(7);
  const auto draw = [&random](unsigned most) { return static_cast<std::int64_t>(random() % most); };
  for (int round = 0; round < 200; ++round) {
    ProfileBuilder run(2);
    std::array<std::int64_t, 2> now_ns{};
    for (int step = 0; step < 20; ++step) {
      const int sender = static_cast<int>(draw(3));  // 2: they meet
      const std::array come_ns{now_ns[0] + draw(100), now_ns[1] + draw(100)};
      now_ns.fill(std::ranges::max(come_ns) + draw(50));
      for (const int rank : {0, 1})
        run.call(rank,
                 sender == 2      ? CallId::Allreduce
                 : rank == sender ? CallId::Send
                                  : CallId::Recv,
                 {come_ns.at(static_cast<std::size_t>(rank)), now_ns[0]},
                 {.peer = sender == 2 ? -1 : 1 - rank, .tag = 0, .bytes = large_bytes});
    }
    profile::Profile profile = run.built(now_ns[0]);
    for (profile::RankProfile& rank : profile.ranks) rank.stolen_ns = rank.outside_ns * draw(90) / 100;
    const granularity::RunTimes times = account(profile);
    EXPECT_GE(times.ideal->run_s,
              std::ranges::max(times.ranks, {}, &granularity::RankTimes::computing_s).computing_s - 1e-9);
    EXPECT_GE(times.ideal->run_with_theft_s, times.ideal->run_s);
    EXPECT_LE(times.ideal->run_with_theft_s, times.run_s);
  }
}

}  // namespace
}  // namespace loadshare::waiting
