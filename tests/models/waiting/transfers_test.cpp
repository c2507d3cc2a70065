#include "models/waiting/transfers.hpp"

#include <gtest/gtest.h>

#include "tests/models/waiting/profile_builder.hpp"

namespace loadshare::waiting {
namespace {

using profile::CallId;

/// How much of [begin, end] the messages moved that rank 0 sent.
std::int64_t moved_of_rank_0(const profile::Profile& profile, Interval when) {
  const Matching matching(profile);
  CallMessages messages;
  for (const Message& message : matching.messages.all()) messages.push_back(&message);
  return moved_ns(matching, 0, messages, when.begin_ns, when.end_ns);
}

void send(ProfileBuilder& run, int to, std::int64_t begin_ns) {
  run.start(0, CallId::Isend, {begin_ns, begin_ns + 1}, {.peer = to, .tag = 0});
}

TEST(Transfers, LastFromWhenBothHaveComeUntilTheOthersCallReturns) {
  ProfileBuilder run(2);
  send(run, 1, 10);
  run.call(1, CallId::Recv, {5, 30}, {.peer = 0, .tag = 0});
  const auto profile = run.built(50);
  EXPECT_EQ(moved_of_rank_0(profile, {0, 50}), 20);
  EXPECT_EQ(moved_of_rank_0(profile, {15, 25}), 10);
  EXPECT_EQ(moved_of_rank_0(profile, {0, 8}), 0);
}

TEST(Transfers, AreToldByAWaitForOneMessage) {
  ProfileBuilder run(2);
  send(run, 1, 0);
  run.start(1, CallId::Irecv, {1, 2}, {.peer = 0, .tag = 0});
  run.call(1, CallId::Wait, {20, 30});
  run.received(1, {.peer = 0, .tag = 0}, run.last_request());
  EXPECT_EQ(moved_of_rank_0(run.built(50), {0, 50}), 10 + 1);
}

TEST(Transfers, AreToldByAStartThatMovesAtOnce) {
  ProfileBuilder run(2);
  send(run, 1, 0);
  run.start(1, CallId::Irecv, {10, 30}, {.peer = 0, .tag = 0});
  EXPECT_EQ(moved_of_rank_0(run.built(50), {0, 50}), 20);
}

TEST(Transfers, AreNotToldByAWaitForMore) {
  ProfileBuilder run(3);
  send(run, 1, 0);
  run.start(1, CallId::Irecv, {1, 2}, {.peer = 0, .tag = 0});
  run.start(1, CallId::Irecv, {2, 3}, {.peer = 2, .tag = 0});
  run.call(1, CallId::Waitall, {20, 30});
  run.received(1, {.peer = 0, .tag = 0}, run.last_request() - 1);
  run.received(1, {.peer = 2, .tag = 0}, run.last_request());
  EXPECT_EQ(moved_of_rank_0(run.built(50), {0, 50}), 2 - 1);  // by its start
}

TEST(Transfers, AtTheSameTimeCountOnce) {
  ProfileBuilder run(4);
  for (const int to : {1, 2, 3}) send(run, to, 0);
  run.call(1, CallId::Recv, {10, 30}, {.peer = 0, .tag = 0});
  run.call(2, CallId::Recv, {15, 20}, {.peer = 0, .tag = 0});
  run.call(3, CallId::Recv, {25, 40}, {.peer = 0, .tag = 0});
  EXPECT_EQ(moved_of_rank_0(run.built(50), {0, 50}), 30);
}

TEST(Transfers, OfMessagesThatNobodyReceivedAreNotKnown) {
  ProfileBuilder run(2);
  send(run, 1, 0);
  EXPECT_EQ(moved_of_rank_0(run.built(50), {0, 50}), 0);
}

}  // namespace
}  // namespace loadshare::waiting
