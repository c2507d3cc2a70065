#include "models/efficiency/waiting/collectives.hpp"

#include <gtest/gtest.h>

#include "tests/models/efficiency/waiting/profile_builder.hpp"

namespace loadshare::waiting {
namespace {

using profile::CallId;

TEST(Collectives, TheNthCallsBelongTogether) {
  ProfileBuilder run(2);
  run.call(0, CallId::Barrier, {1, 8});
  const EventId second_0 = run.call(0, CallId::Barrier, {10, 20});
  run.call(1, CallId::Barrier, {7, 8});
  const EventId second_1 = run.call(1, CallId::Barrier, {19, 20});
  const auto profile = run.built(20);
  const Collectives collectives(profile);
  EXPECT_EQ(collectives.count(), 2u);
  const Operation& operation = collectives.operation(*collectives.arrival(second_0));
  ASSERT_EQ(operation.arrivals.size(), 2u);
  EXPECT_EQ(operation.arrivals[0].call, second_0);
  EXPECT_EQ(operation.arrivals[1].call, second_1);
  EXPECT_EQ(operation.latest_ns, 19);
  EXPECT_EQ(operation.root, nullptr);
}

TEST(Collectives, EachCommunicatorCountsItsOwn) {
  ProfileBuilder run(3);
  const auto pair = run.communicator({2, 0});
  run.call(0, CallId::Barrier, {1, 5}, {.communicator = 0});
  const EventId in_pair = run.call(0, CallId::Bcast, {6, 9}, {.peer = 2, .communicator = pair});
  run.call(1, CallId::Barrier, {2, 5}, {.communicator = 0});
  const EventId root = run.call(2, CallId::Bcast, {1, 2}, {.peer = 2, .communicator = pair});
  run.call(2, CallId::Barrier, {4, 5}, {.communicator = 0});
  const auto profile = run.built(20);
  const Collectives collectives(profile);
  const Operation& operation = collectives.operation(*collectives.arrival(in_pair));
  ASSERT_NE(operation.root, nullptr);
  EXPECT_EQ(operation.root->call, root);
  EXPECT_EQ(operation.arrivals[0].call, root);  // the communicator's order
  EXPECT_EQ(collectives.arrival(in_pair)->latest_before_ns, 1);
}

TEST(Collectives, WindowsCountSeparately) {
  ProfileBuilder run(2);
  const EventId fence_0 = run.call(0, CallId::Win_fence, {1, 2});
  run.call(0, CallId::Barrier, {3, 4});
  run.call(1, CallId::Barrier, {1, 4});
  const EventId fence_1 = run.call(1, CallId::Win_fence, {5, 6});
  const auto profile = run.built(20);
  const Collectives collectives(profile);
  EXPECT_EQ(collectives.arrival(fence_0)->operation, collectives.arrival(fence_1)->operation);
  EXPECT_EQ(collectives.contradictions(), 0u);
}

TEST(Collectives, CallsOfOtherThreadsPreventMatching) {
  ProfileBuilder run(3);
  const auto pair = run.communicator({0, 1});
  const EventId among_all = run.call(0, CallId::Barrier, {1, 8});
  run.call(1, CallId::Barrier, {7, 8});
  run.call(2, CallId::Barrier, {7, 8});
  const EventId in_pair = run.call(0, CallId::Barrier, {9, 12}, {.communicator = pair});
  run.call(1, CallId::Barrier, {11, 12}, {.communicator = pair});
  run.rank(2).calls_of_other_threads = 1;
  const auto profile = run.built(20);
  const Collectives collectives(profile);
  EXPECT_EQ(collectives.arrival(among_all), nullptr);
  EXPECT_NE(collectives.arrival(in_pair), nullptr);
}

TEST(Collectives, UnknownMembersPreventMatching) {
  ProfileBuilder run(2);
  const auto intercommunicator = run.communicator({});
  const EventId call = run.call(0, CallId::Barrier, {1, 2}, {.communicator = intercommunicator});
  run.call(1, CallId::Barrier, {1, 2}, {.communicator = intercommunicator});
  const auto profile = run.built(20);
  const Collectives collectives(profile);
  EXPECT_EQ(collectives.arrival(call), nullptr);
}

TEST(Collectives, CallsThatDisagreeEndTheMatching) {
  ProfileBuilder run(2);
  const EventId good = run.call(0, CallId::Barrier, {1, 2});
  const EventId odd = run.call(0, CallId::Allreduce, {3, 4});
  const EventId behind = run.call(0, CallId::Barrier, {5, 6});
  for (const CallId call : {CallId::Barrier, CallId::Barrier, CallId::Barrier}) run.call(1, call, {1, 2});
  const auto profile = run.built(20);
  const Collectives collectives(profile);
  EXPECT_NE(collectives.arrival(good), nullptr);
  EXPECT_EQ(collectives.arrival(odd), nullptr);
  EXPECT_EQ(collectives.arrival(behind), nullptr);
  EXPECT_EQ(collectives.contradictions(), 1u);
}

TEST(Collectives, AMissingMemberLeavesTheOthers) {
  ProfileBuilder run(3);
  const EventId first = run.call(0, CallId::Barrier, {1, 9});
  run.call(2, CallId::Barrier, {4, 9});
  auto profile = run.built(20);
  profile.ranks.erase(profile.ranks.begin() + 1);
  const Collectives collectives(profile);
  EXPECT_EQ(collectives.operation(*collectives.arrival(first)).latest_ns, 4);
}

}  // namespace
}  // namespace loadshare::waiting
