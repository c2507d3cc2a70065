#include "models/waiting/accounts.hpp"

#include <gtest/gtest.h>

#include "tests/models/waiting/profile_builder.hpp"

namespace loadshare::waiting {
namespace {

using profile::CallId;

TEST(Account, DividesEachRanksTime) {
  ProfileBuilder run(2);
  run.call(0, CallId::Recv, {2 * s, 7 * s}, {.peer = 1, .tag = 0});
  run.call(1, CallId::Send, {6 * s, 7 * s}, {.peer = 0, .tag = 0});
  auto profile = run.built(10 * s);
  profile.ranks[1].stolen_ns = 2 * s;
  profile.ranks[1].blocked_ns = 3 * s;
  const granularity::RunTimes times = account(profile);
  EXPECT_DOUBLE_EQ(times.run_s, 10);
  EXPECT_TRUE(times.tells_idle);
  EXPECT_TRUE(times.notes.empty());
  ASSERT_EQ(times.ranks.size(), 2u);
  EXPECT_DOUBLE_EQ(times.ranks[0].computing_s, 5);
  EXPECT_DOUBLE_EQ(times.ranks[0].idle_s, 4);
  EXPECT_DOUBLE_EQ(times.ranks[0].communicating_s, 1);
  EXPECT_DOUBLE_EQ(times.ranks[1].computing_s, 4);
  EXPECT_DOUBLE_EQ(times.ranks[1].communicating_s, 1);
  EXPECT_DOUBLE_EQ(times.ranks[1].idle_s, 3);
  EXPECT_DOUBLE_EQ(times.ranks[1].stolen_s, 2);
  EXPECT_EQ(times.ranks[1].host, "somewhere");
}

TEST(Account, WhatIsStolenWhileDataMoveIsStolen) {
  ProfileBuilder run(2);
  run.call(0, CallId::Recv, {2 * s, 7 * s}, {.peer = 1, .tag = 0});
  run.call(1, CallId::Send, {3 * s, 7 * s}, {.peer = 0, .tag = 0});
  auto profile = run.built(10 * s);
  profile.ranks[0].stolen_inside_ns = 2'500'000'000;  // half of the time in MPI, 1 s of which was waiting
  const granularity::RankTimes times = account(profile).ranks[0];
  EXPECT_DOUBLE_EQ(times.computing_s, 5);
  EXPECT_DOUBLE_EQ(times.idle_s, 1);
  EXPECT_DOUBLE_EQ(times.communicating_s, 2);
  EXPECT_DOUBLE_EQ(times.stolen_s, 2);
}

TEST(Account, WhoComesLateOrIsInFinalizeEarlyIsIdle) {
  ProfileBuilder run(3);
  auto profile = run.built(10 * s);
  profile.ranks[1].begin_ns = 1 * s;
  profile.ranks[1].outside_ns = 9 * s;
  profile.ranks[2].end_ns = 6 * s;
  profile.ranks[2].outside_ns = 6 * s;
  const granularity::RunTimes times = account(profile);
  EXPECT_DOUBLE_EQ(times.ranks[0].idle_s, 0);
  EXPECT_DOUBLE_EQ(times.ranks[1].idle_s, 1);
  EXPECT_DOUBLE_EQ(times.ranks[2].idle_s, 4);
}

TEST(Account, ExtrapolatesNothingOverDroppedEvents) {
  ProfileBuilder run(2);
  run.call(0, CallId::Recv, {0, 2 * s}, {.peer = 1, .tag = 0});
  run.call(1, CallId::Send, {2 * s, 2 * s}, {.peer = 0, .tag = 0});
  auto profile = run.built(10 * s);
  profile.ranks[0].inside_ns = 8 * s;
  profile.ranks[0].outside_ns = 2 * s;
  profile.ranks[0].events_dropped = 3;
  profile.ranks[0].events_end_ns = 2 * s;
  const granularity::RunTimes times = account(profile);
  EXPECT_DOUBLE_EQ(times.ranks[0].idle_s, 2);
  EXPECT_DOUBLE_EQ(times.ranks[0].communicating_s, 6);
  EXPECT_EQ(times.notes.size(), 1u);
}

TEST(Account, OfNoRankIsEmpty) {
  EXPECT_TRUE(account(profile::Profile{}).ranks.empty());
}

}  // namespace
}  // namespace loadshare::waiting
