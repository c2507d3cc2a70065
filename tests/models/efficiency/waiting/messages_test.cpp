#include "models/efficiency/waiting/messages.hpp"

#include <gtest/gtest.h>

#include "tests/models/efficiency/waiting/profile_builder.hpp"

namespace loadshare::waiting {
namespace {

using profile::CallId;

TEST(Messages, AReceiveMeetsItsSend) {
  ProfileBuilder run(2);
  const EventId send = run.call(0, CallId::Send, {10, 12}, {.peer = 1, .tag = 5});
  const EventId receive = run.call(1, CallId::Recv, {3, 13}, {.peer = 0, .tag = 5});
  const auto profile = run.built(20);
  const Messages messages(profile);
  ASSERT_EQ(messages.all().size(), 1u);
  const Message& message = messages.all()[0];
  EXPECT_EQ(message.sent, send);
  EXPECT_EQ(message.released, send);
  EXPECT_EQ(message.posted, receive);
  EXPECT_EQ(message.completed, receive);
  EXPECT_EQ(messages.sent_by(send), &message);
  EXPECT_EQ(messages.taken_by(receive), &message);
  EXPECT_EQ(messages.taken_by(send), nullptr);
}

TEST(Messages, DoNotOvertakeInOneChannel) {
  ProfileBuilder run(2);
  const EventId first = run.call(0, CallId::Send, {1, 2}, {.peer = 1, .tag = 5});
  const EventId second = run.call(0, CallId::Send, {3, 4}, {.peer = 1, .tag = 5});
  const EventId posted_first = run.start(1, CallId::Irecv, {1, 2}, {.peer = 0, .tag = 5});
  const auto request_first = run.last_request();
  const EventId posted_second = run.start(1, CallId::Irecv, {2, 3}, {.peer = 0, .tag = 5});
  const auto request_second = run.last_request();
  const EventId wait_second = run.call(1, CallId::Wait, {5, 6});
  run.received(1, {.peer = 0, .tag = 5}, request_second);
  const EventId wait_first = run.call(1, CallId::Wait, {7, 8});
  run.received(1, {.peer = 0, .tag = 5}, request_first);
  const auto profile = run.built(20);
  const Messages messages(profile);
  EXPECT_EQ(messages.taken_by(posted_first)->sent, first);
  EXPECT_EQ(messages.taken_by(posted_first)->completed, wait_first);
  EXPECT_EQ(messages.taken_by(posted_second)->sent, second);
  EXPECT_EQ(messages.taken_by(posted_second)->completed, wait_second);
}

TEST(Messages, AreSeparatedByTagSourceAndCommunicator) {
  ProfileBuilder run(3);
  const auto pair = run.communicator({1, 2});
  const EventId tagged = run.call(0, CallId::Send, {1, 2}, {.peer = 2, .tag = 5});
  const EventId other_tag = run.call(0, CallId::Send, {3, 4}, {.peer = 2, .tag = 6});
  const EventId other_source = run.call(1, CallId::Send, {1, 2}, {.peer = 2, .tag = 5});
  const EventId in_pair = run.call(1, CallId::Send, {3, 4}, {.peer = 2, .tag = 5, .communicator = pair});
  const EventId a = run.call(2, CallId::Recv, {1, 2}, {.peer = 1, .tag = 5, .communicator = pair});
  const EventId b = run.call(2, CallId::Recv, {2, 3}, {.peer = 0, .tag = 6});
  const EventId c = run.call(2, CallId::Recv, {3, 4}, {.peer = 1, .tag = 5});
  const EventId d = run.call(2, CallId::Recv, {4, 5}, {.peer = 0, .tag = 5});
  const auto profile = run.built(20);
  const Messages messages(profile);
  EXPECT_EQ(messages.taken_by(a)->sent, in_pair);
  EXPECT_EQ(messages.taken_by(b)->sent, other_tag);
  EXPECT_EQ(messages.taken_by(c)->sent, other_source);
  EXPECT_EQ(messages.taken_by(d)->sent, tagged);
}

TEST(Messages, WildcardsCountByTheReceivedMessage) {
  ProfileBuilder run(3);
  run.call(1, CallId::Send, {1, 2}, {.peer = 0, .tag = 7});
  const EventId from_2 = run.call(2, CallId::Send, {1, 2}, {.peer = 0, .tag = 8});
  const EventId any = run.call(0, CallId::Recv, {0, 3});
  run.received(0, {.peer = 2, .tag = 8});
  const EventId any_started = run.start(0, CallId::Irecv, {3, 4});
  run.call(0, CallId::Test, {4, 5});
  run.received(0, {.peer = 1, .tag = 7}, run.last_request());
  const auto profile = run.built(20);
  const Messages messages(profile);
  EXPECT_EQ(messages.taken_by(any)->sent, from_2);
  EXPECT_EQ(messages.taken_by(any_started)->sent.rank, 1u);
}

TEST(Messages, AnExchangeSendsOneAndReceivesAnother) {
  ProfileBuilder run(2);
  const EventId left = run.call(0, CallId::Sendrecv, {1, 6}, {.peer = 1, .tag = 3});
  run.received(0, {.peer = 1, .tag = 4});
  const EventId right = run.call(1, CallId::Sendrecv, {5, 6}, {.peer = 0, .tag = 4});
  run.received(1, {.peer = 0, .tag = 3});
  const auto profile = run.built(20);
  const Messages messages(profile);
  EXPECT_EQ(messages.sent_by(left)->posted, right);
  EXPECT_EQ(messages.taken_by(left)->sent, right);
}

TEST(Messages, ASendIsReleasedByTheWaitOnIt) {
  ProfileBuilder run(2);
  const EventId send = run.start(0, CallId::Isend, {1, 2}, {.peer = 1, .tag = 0});
  const EventId wait = run.call(0, CallId::Waitall, {3, 4});
  run.completed(0, run.last_request());
  const auto profile = run.built(20);
  const Messages messages(profile);
  EXPECT_EQ(messages.sent_by(send)->released, wait);
  EXPECT_EQ(messages.sends_without_receive(), 1u);
}

TEST(Messages, MessagesOfMpiProcNullAreIgnored) {
  ProfileBuilder run(1);
  run.call(0, CallId::Send, {1, 2}, {.peer = -1, .tag = 0});
  run.call(0, CallId::Recv, {2, 3}, {.peer = -1, .tag = 0});
  run.call(0, CallId::Sendrecv, {3, 4});
  run.call(0, CallId::Irecv, {4, 5});
  run.call(0, CallId::Recv_init, {5, 6});
  const auto profile = run.built(20);
  const Messages messages(profile);
  EXPECT_TRUE(messages.all().empty());
  EXPECT_EQ(messages.receives_without_send(), 0u);
  EXPECT_EQ(messages.sends_without_receive(), 0u);
}

TEST(Messages, ACancelledReceiveTakesNone) {
  ProfileBuilder run(2);
  run.call(0, CallId::Send, {1, 2}, {.peer = 1, .tag = 0});
  const EventId cancelled = run.start(1, CallId::Irecv, {1, 2}, {.peer = 0, .tag = 0});
  run.same_request(1, CallId::Cancel, {2, 3});
  const EventId receive = run.call(1, CallId::Recv, {3, 4}, {.peer = 0, .tag = 0});
  const auto profile = run.built(20);
  const Messages messages(profile);
  EXPECT_EQ(messages.taken_by(cancelled), nullptr);
  ASSERT_NE(messages.taken_by(receive), nullptr);
}

TEST(Messages, AFreedReceiveTakesItsOwn) {
  ProfileBuilder run(2);
  const EventId first = run.call(0, CallId::Send, {1, 2}, {.peer = 1, .tag = 0});
  const EventId second = run.call(0, CallId::Send, {7, 8}, {.peer = 1, .tag = 0});
  const EventId freed = run.start(1, CallId::Irecv, {1, 2}, {.peer = 0, .tag = 0});
  run.same_request(1, CallId::Request_free, {2, 3});
  const EventId receive = run.call(1, CallId::Recv, {3, 9}, {.peer = 0, .tag = 0});
  const auto profile = run.built(20);
  const Messages messages(profile);
  EXPECT_EQ(messages.taken_by(freed)->sent, first);
  EXPECT_EQ(messages.taken_by(receive)->sent, second);
  EXPECT_EQ(messages.sends_without_receive(), 0u);
}

TEST(Messages, AFreedWildcardIsUnknown) {
  ProfileBuilder run(2);
  run.call(0, CallId::Send, {1, 2}, {.peer = 1, .tag = 0});
  const EventId freed = run.start(1, CallId::Irecv, {1, 2});
  const auto profile = run.built(20);
  const Messages messages(profile);
  EXPECT_EQ(messages.taken_by(freed), nullptr);
  EXPECT_EQ(messages.sends_without_receive(), 1u);
}

TEST(Messages, AReceiveWithoutAnEndKeepsItsPlace) {
  ProfileBuilder run(2);
  run.call(0, CallId::Send, {1, 2}, {.peer = 1, .tag = 0});
  const EventId second = run.call(0, CallId::Send, {2, 3}, {.peer = 1, .tag = 0});
  const EventId open = run.start(1, CallId::Irecv, {1, 2}, {.peer = 0, .tag = 0});
  const EventId receive = run.call(1, CallId::Recv, {3, 4}, {.peer = 0, .tag = 0});
  run.rank(1).events_dropped = 10;
  const auto profile = run.built(20);
  const Messages messages(profile);
  EXPECT_EQ(messages.taken_by(receive)->sent, second);
  EXPECT_FALSE(messages.taken_by(open)->completed);
}

TEST(Messages, AProbeFindsTheMessageOfTheNextReceive) {
  ProfileBuilder run(2);
  const EventId first = run.call(0, CallId::Send, {1, 2}, {.peer = 1, .tag = 0});
  const EventId second = run.call(0, CallId::Send, {5, 6}, {.peer = 1, .tag = 0});
  const EventId probe_first = run.call(1, CallId::Probe, {0, 1});
  run.received(1, {.peer = 0, .tag = 0});
  run.call(1, CallId::Recv, {2, 3}, {.peer = 0, .tag = 0});
  const EventId probe_second = run.call(1, CallId::Probe, {3, 6}, {.peer = 0, .tag = 0});
  run.call(1, CallId::Recv, {6, 7}, {.peer = 0, .tag = 0});
  const auto profile = run.built(20);
  const Messages messages(profile);
  EXPECT_EQ(messages.taken_by(probe_first)->sent, first);
  EXPECT_EQ(messages.taken_by(probe_second)->sent, second);
  EXPECT_EQ(messages.sends_without_receive(), 0u);
}

/// Rank 0 sends at 1 and at 7. Rank 1 finds the first by `probe`, receives the second, and only then the
/// first.
struct Matched {
  explicit Matched(CallId probe_call) {
    first = run.call(0, CallId::Send, {1, 2}, {.peer = 1, .tag = 0});
    second = run.call(0, CallId::Send, {7, 8}, {.peer = 1, .tag = 0});
    probe = run.start(1, probe_call, {1, 2}, {.peer = 0, .tag = 0});
    other = run.call(1, CallId::Recv, {3, 9}, {.peer = 0, .tag = 0});
  }

  ProfileBuilder run{2};
  EventId first, second, probe, other;
};

TEST(Messages, AMatchedReceiveTakesTheMessageOfItsProbe) {
  Matched matched(CallId::Mprobe);
  const EventId receive = matched.run.same_request(1, CallId::Mrecv, {10, 11}, {.peer = 0, .tag = 0});
  const auto profile = matched.run.built(20);
  const Messages messages(profile);
  EXPECT_EQ(messages.taken_by(matched.probe)->sent, matched.first);
  EXPECT_EQ(messages.taken_by(matched.other)->sent, matched.second);
  EXPECT_EQ(messages.taken_by(receive)->sent, matched.first);
  EXPECT_EQ(messages.taken_by(receive)->posted, receive);
}

TEST(Messages, AStartedMatchedReceiveTakesTheMessageOfItsProbe) {
  Matched matched(CallId::Improbe);
  const EventId receive = matched.run.same_request(1, CallId::Imrecv, {10, 11});
  const EventId wait = matched.run.call(1, CallId::Wait, {11, 12});
  matched.run.received(1, {.peer = 0, .tag = 0}, matched.run.last_request());
  const auto profile = matched.run.built(20);
  const Messages messages(profile);
  EXPECT_EQ(messages.taken_by(matched.probe)->sent, matched.first);
  EXPECT_EQ(messages.taken_by(matched.other)->sent, matched.second);
  EXPECT_EQ(messages.taken_by(receive)->posted, receive);
  EXPECT_EQ(messages.taken_by(receive)->completed, wait);
}

TEST(Messages, AMatchedReceiveWithoutItsProbeTakesTheNext) {
  ProfileBuilder run(2);
  const EventId send = run.call(0, CallId::Send, {1, 2}, {.peer = 1, .tag = 0});
  const EventId receive = run.start(1, CallId::Mrecv, {10, 11}, {.peer = 0, .tag = 0});
  const auto profile = run.built(20);
  EXPECT_EQ(Messages(profile).taken_by(receive)->sent, send);
}

TEST(Messages, AnUnsuccessfulProbeFindsNothing) {
  ProfileBuilder run(2);
  run.call(0, CallId::Send, {1, 2}, {.peer = 1, .tag = 0});
  const EventId in_vain = run.in_vain(1, CallId::Improbe, {1, 2}, 1);
  run.rank(1).events.back().peer = 0;
  run.rank(1).events.back().tag = 0;
  const EventId receive = run.call(1, CallId::Recv, {3, 9}, {.peer = 0, .tag = 0});
  const auto profile = run.built(20);
  const Messages messages(profile);
  EXPECT_EQ(messages.taken_by(in_vain), nullptr);
  EXPECT_NE(messages.taken_by(receive), nullptr);
}

TEST(Messages, MissingMessagesAreCounted) {
  ProfileBuilder run(2);
  run.call(0, CallId::Send, {5'000'000, 5'000'001}, {.peer = 1, .tag = 0});
  run.call(0, CallId::Send, {5'000'001, 5'000'002}, {.peer = 1, .tag = 9});
  run.call(1, CallId::Recv, {1, 2}, {.peer = 0, .tag = 0});
  run.call(1, CallId::Recv, {2, 3}, {.peer = 0, .tag = 1});
  const auto profile = run.built(20);
  const Messages messages(profile);
  EXPECT_EQ(messages.contradictions(), 1u);
  EXPECT_EQ(messages.receives_without_send(), 1u);
  EXPECT_EQ(messages.sends_without_receive(), 1u);
}

TEST(Messages, MissingRanksDoNotShiftTheOthers) {
  ProfileBuilder run(3);
  const EventId send = run.call(2, CallId::Send, {1, 2}, {.peer = 1, .tag = 0});
  run.call(1, CallId::Recv, {1, 2}, {.peer = 2, .tag = 0});
  auto profile = run.built(20);
  profile.ranks.erase(profile.ranks.begin());
  const Messages messages(profile);
  EXPECT_EQ(messages.taken_by({0, 0})->sent, (EventId{send.rank - 1, send.event}));
}

}  // namespace
}  // namespace loadshare::waiting
