#include "apps/loadshare/calibrate/mpi/message_sender.hpp"

#include <gtest/gtest.h>
#include <mpi.h>

#include <algorithm>
#include <functional>

#include "apps/loadshare/calibrate/mpi/message_receiver.hpp"
#include "apps/loadshare/calibrate/mpi/transport_settings.hpp"

namespace loadshare::tool {
namespace {

using calibration::MessageTiming;
using communication::ReceivePosted;
using communication::SendMode;

constexpr Index most_bytes = 1 << 20;
constexpr Index repetitions = 21;

int own_rank() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

/// Rank 0 does `action` with rank 1 at the other end; others have no part in it.
void with_a_pair(const std::function<void(MessageSender&)>& action) {
  if (own_rank() == 0) {
    MessageSender sender({0, 1}, most_bytes);
    action(sender);
    sender.end();
  } else if (own_rank() == 1) {
    MessageReceiver({0, 1}, most_bytes).serve();
  }
}

/// Most of a few: another process may have come between some.
bool most_waited(MessageSender& sender, SendMode mode, Index bytes) {
  const Visit visit{mode, ReceivePosted::after, bytes, 2, repetitions, 2e-3};
  const std::vector<MessageTiming> timings = sender.visit(visit);
  return 2 * std::ranges::count(timings, true, &MessageTiming::has_waited) > repetitions;
}

TEST(MessageSender, TimesEveryModeOnBothSides) {
  with_a_pair([](MessageSender& sender) {
    for (const SendMode mode : communication::send_modes)
      for (const Index bytes : {Index{0}, Index{64}, most_bytes}) {
        const auto timings = sender.visit({mode, ReceivePosted::before, bytes, 1, repetitions, 0});
        EXPECT_EQ(std::ssize(timings), repetitions);
        for (const MessageTiming& timing : timings) {
          EXPECT_GT(timing.sender_s, 0);
          EXPECT_GT(timing.receiver_s, 0);
          EXPECT_FALSE(timing.has_waited);
        }
      }
  });
}

TEST(MessageSender, SeesWhichSendsWaitForALateReceive) {
  with_a_pair([](MessageSender& sender) {
    EXPECT_FALSE(most_waited(sender, SendMode::standard, 64));
    EXPECT_TRUE(most_waited(sender, SendMode::standard, most_bytes));
    EXPECT_TRUE(most_waited(sender, SendMode::synchronous, 0));
    EXPECT_TRUE(most_waited(sender, SendMode::synchronous, most_bytes));
    EXPECT_FALSE(most_waited(sender, SendMode::buffered, 64));
    EXPECT_FALSE(most_waited(sender, SendMode::buffered, most_bytes));
  });
}

TEST(MessageSender, KeepsItsRoundTrips) {
  with_a_pair([](MessageSender& sender) {
    sender.visit({SendMode::standard, ReceivePosted::before, 0, 0, 1, 0});
    EXPECT_GE(sender.round_trips_s().size(), 2u);
    EXPECT_GT(std::ranges::min(sender.round_trips_s()), 0);
    EXPECT_GT(sender.clock_s(), 0);
  });
}

TEST(TransportSettings, NameTheWaysThroughTheNetwork) {
  const auto settings = transport_settings();
  EXPECT_EQ(settings.at("btl_tcp_eager_limit"), "65536");
  EXPECT_FALSE(settings.contains("no_such_variable"));
}

}  // namespace
}  // namespace loadshare::tool
