#include "models/waiting/late_partner.hpp"

#include <gtest/gtest.h>

#include "tests/models/waiting/profile_builder.hpp"

namespace loadshare::waiting {
namespace {

using profile::CallId;

/// What a send of this call by rank 0 over [1, end] waits for, where rank 1 posts its receive at 10.
Wait wait_of_send(CallId call, std::int64_t end_ns) {
  ProfileBuilder run(2);
  const EventId send = run.call(0, call, {1, end_ns}, {.peer = 1, .tag = 0});
  run.call(1, CallId::Recv, {10, 15}, {.peer = 0, .tag = 0});
  const auto profile = run.built(20);
  return late_receiver(Matching(profile), send, at(profile, send));
}

TEST(LateSender, LastsUntilTheSendBegins) {
  ProfileBuilder run(2);
  run.call(0, CallId::Send, {7, 9}, {.peer = 1, .tag = 0});
  const EventId receive = run.call(1, CallId::Recv, {1, 9}, {.peer = 0, .tag = 0});
  const auto profile = run.built(20);
  const Wait wait = late_sender(Matching(profile), receive);
  EXPECT_EQ(wait.state, WaitState::late_sender);
  EXPECT_EQ(wait.until_ns, 7);
}

TEST(LateSender, IsNotClaimedWhereTheSendIsNotKnown) {
  ProfileBuilder run(2);
  const EventId receive = run.call(1, CallId::Recv, {1, 9}, {.peer = 0, .tag = 0});
  const auto profile = run.built(20);
  EXPECT_FALSE(late_sender(Matching(profile), receive));
}

TEST(LateReceiver, HoldsASendThatEndedAfterThePost) {
  EXPECT_EQ(wait_of_send(CallId::Ssend, 15).until_ns, 10);
  EXPECT_EQ(wait_of_send(CallId::Send, 15).until_ns, 10);
  EXPECT_EQ(wait_of_send(CallId::Send, 15).state, WaitState::late_receiver);
}

TEST(LateReceiver, DoesNotHoldAShortSend) {
  EXPECT_FALSE(wait_of_send(CallId::Send, 2));
}

TEST(LateReceiver, DoesNotHoldBufferedAndReadySends) {
  EXPECT_FALSE(wait_of_send(CallId::Bsend, 15));
  EXPECT_FALSE(wait_of_send(CallId::Rsend, 15));
}

}  // namespace
}  // namespace loadshare::waiting
