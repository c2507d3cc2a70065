#include "models/waiting/losses.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/waiting/accounts.hpp"
#include "tests/models/waiting/profile_builder.hpp"

namespace loadshare::waiting {
namespace {

using profile::CallId;

/// Rank 0 waits for a message from 10 to 30 and takes it until 35; rank 1 sends it in [30, 36].
ProfileBuilder late_message() {
  ProfileBuilder run(2);
  run.call(0, CallId::Recv, {10, 35}, {.peer = 1, .tag = 0});
  run.call(1, CallId::Send, {30, 36}, {.peer = 0, .tag = 0});
  return run;
}

TEST(Losses, WaitingAndMovingStandApartTheGreatestFirst) {
  const profile::Profile profile = late_message().built(50);
  const std::vector<Loss> all = losses(Matching(profile));
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0].call, "MPI_Recv");
  EXPECT_EQ(all[0].state, WaitState::late_sender);
  EXPECT_DOUBLE_EQ(all[0].seconds, 20e-9);
  EXPECT_EQ(all[1].call, "MPI_Send");
  EXPECT_EQ(all[1].state, WaitState::none);
  EXPECT_DOUBLE_EQ(all[1].seconds, 6e-9);
  EXPECT_EQ(all[2].call, "MPI_Recv");
  EXPECT_DOUBLE_EQ(all[2].seconds, 5e-9);
}

TEST(Losses, RanksAddUpByPlace) {
  ProfileBuilder run(2);
  for (const int rank : {0, 1}) {
    run.call(rank, CallId::Send, {1, 4}, {.peer = -1});
    run.call(rank, CallId::Send, {5, 6}, {.peer = -1});
  }
  profile::Profile profile = run.built(50);
  profile.ranks[0].places = {"", "near", "far"};
  profile.ranks[1].places = {"", "far", "near"};  // each rank numbers its places by itself
  profile.ranks[0].events[0].place = 1;
  profile.ranks[0].events[1].place = 2;
  profile.ranks[1].events[0].place = 2;
  profile.ranks[1].events[1].place = 1;
  const std::vector<Loss> all = losses(Matching(profile));
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].place, "near");
  EXPECT_DOUBLE_EQ(all[0].seconds, 6e-9);
  EXPECT_EQ(all[1].place, "far");
  EXPECT_DOUBLE_EQ(all[1].seconds, 2e-9);
}

TEST(Losses, TheyAddUpToTheTimeInsideMpi) {
  const profile::Profile profile = late_message().built(50);
  double sum_s = 0;
  for (const Loss& loss : losses(Matching(profile))) sum_s += loss.seconds;
  EXPECT_DOUBLE_EQ(sum_s, 31e-9);
}

TEST(Losses, AllIdleTimeOfTheAccountIsAmongThem) {
  profile::Profile profile = late_message().built(50);
  profile.ranks[0].blocked_ns = 7;
  profile.ranks[1].begin_ns = 4;
  profile.ranks[1].end_ns = 48;
  double idle_s = 0;
  for (const granularity::RankTimes& rank : account(profile).ranks) idle_s += rank.idle_s;
  double waited_s = 0;
  for (const Loss& loss : losses(Matching(profile)))
    if (loss.state != WaitState::none) waited_s += loss.seconds;
  EXPECT_DOUBLE_EQ(idle_s, 33e-9);
  EXPECT_DOUBLE_EQ(waited_s, idle_s);
  EXPECT_EQ(losses(Matching(profile))[1].call, "outside MPI");
}

TEST(Losses, WhatOthersHadOfTheProcessorIsNoCallsLoss) {
  profile::Profile profile = late_message().built(50);
  profile.ranks[1].stolen_inside_ns = profile.ranks[1].inside_ns / 3;
  const std::vector<Loss> all = losses(Matching(profile));
  ASSERT_EQ(all.size(), 3U);
  EXPECT_DOUBLE_EQ(all[0].seconds, 20e-9);  // who waits loses nothing by it
  EXPECT_EQ(all[2].call, "MPI_Send");
  EXPECT_DOUBLE_EQ(all[2].seconds, 4e-9);
  double moved_s = 0;
  for (const granularity::RankTimes& rank : account(profile).ranks) moved_s += rank.communicating_s;
  EXPECT_DOUBLE_EQ(moved_s, all[1].seconds + all[2].seconds);
}

}  // namespace
}  // namespace loadshare::waiting
