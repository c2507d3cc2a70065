#include "apps/loadshare/calibrate/mpi/message_sender.hpp"

#include <gtest/gtest.h>
#include <mpi.h>

#include <algorithm>
#include <functional>

#include "apps/loadshare/calibrate/mpi/message_receiver.hpp"
#include "apps/loadshare/calibrate/mpi/transport_settings.hpp"
#include "experiments/sweep/stop_rule.hpp"

namespace loadshare::tool {
namespace {

using calibration::MessageTiming;
using communication::ReceivePosted;
using communication::SendMode;

constexpr Index most_bytes = 1 << 20;
constexpr Index repetitions = 21;
constexpr double clock_s = 20e-9;

int own_rank() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

/// Rank 0 does `action` with rank 1 at the other end; others have no part in it.
void with_a_pair(const std::function<void(MessageSender&)>& action) {
  if (own_rank() == 0) {
    MessageSender sender({0, 1}, most_bytes, clock_s);
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

/// Of messages whose receive is posted, over all of a visit.
MessageTiming median_of(MessageSender& sender, SendMode mode, Index bytes) {
  std::vector<double> sender_s, receiver_s;
  for (const MessageTiming& timing : sender.visit({mode, ReceivePosted::before, bytes, 2, repetitions, 0})) {
    sender_s.push_back(timing.sender_s);
    receiver_s.push_back(timing.receiver_s);
  }
  EXPECT_EQ(std::ssize(sender_s), repetitions);
  return {sweep::median(sender_s), sweep::median(receiver_s)};
}

/// Other programs may have a processor meanwhile, and then a receiver finds its message there already. That
/// passes; what is wrong stays wrong.
bool soon(const std::function<bool()>& is_seen) {
  for (int visit = 0; visit < 30; ++visit)
    if (is_seen()) return true;
  return false;
}

TEST(MessageSender, TimesEveryModeOnBothSides) {
  with_a_pair([](MessageSender& sender) {
    median_of(sender, SendMode::standard, 0);  // the first contact takes longer
    for (const SendMode mode : communication::send_modes) {
      SCOPED_TRACE(communication::name_of(mode));
      EXPECT_GT(median_of(sender, mode, 0).sender_s, 5e-9) << "a call of MPI";
      EXPECT_TRUE(soon([&] {
        const MessageTiming small = median_of(sender, mode, 0), large = median_of(sender, mode, most_bytes);
        constexpr double fastest_s = most_bytes / 100e9;  // no memory is faster
        return large.receiver_s > 10 * small.receiver_s && large.receiver_s > fastest_s &&
               large.sender_s > fastest_s;
      })) << "both copy, or the sender waits for the receiver";
    }
  });
}

TEST(MessageSender, WaitsOnlyInTheModesThatDo) {
  with_a_pair([](MessageSender& sender) {
    EXPECT_TRUE(soon([&] {
      const MessageTiming standard = median_of(sender, SendMode::standard, 64);
      return median_of(sender, SendMode::synchronous, 64).sender_s > 1.3 * standard.sender_s;
    })) << "until its receive is matched";
  });
}

TEST(MessageSender, SeesWhichSendsWaitForALateReceive) {
  with_a_pair([](MessageSender& sender) {
    EXPECT_TRUE(soon([&] { return !most_waited(sender, SendMode::standard, 64); }));
    EXPECT_TRUE(soon([&] { return most_waited(sender, SendMode::standard, most_bytes); }));
    EXPECT_TRUE(soon([&] { return most_waited(sender, SendMode::synchronous, 0); }));
    EXPECT_TRUE(soon([&] { return most_waited(sender, SendMode::synchronous, most_bytes); }));
    EXPECT_TRUE(soon([&] { return !most_waited(sender, SendMode::buffered, 64); }));
    EXPECT_TRUE(soon([&] { return !most_waited(sender, SendMode::buffered, most_bytes); }));
  });
}

TEST(MessageSender, KeepsItsRoundTrips) {
  with_a_pair([](MessageSender& sender) {
    sender.visit({SendMode::standard, ReceivePosted::before, 0, 0, 1, 0});
    EXPECT_GE(sender.round_trips_s().size(), 2u);
    EXPECT_GT(std::ranges::min(sender.round_trips_s()), 0);
  });
}

TEST(TransportSettings, NameTheWaysThroughTheNetwork) {
  const auto settings = transport_settings();
  EXPECT_EQ(settings.at("btl_tcp_eager_limit"), "65536");
  EXPECT_FALSE(settings.contains("no_such_variable"));
}

}  // namespace
}  // namespace loadshare::tool
