#include "apps/loadshare/mpi/pair_link.hpp"

#include <gtest/gtest.h>
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <iterator>
#include <thread>
#include <vector>

#include "base/statistics.hpp"
#include "profiler/preload/mpi_setup.hpp"

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

int ranks() {
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

/// Rank 0 does `action` with rank 1 at the other end; others have no part in it, and sleep.
void with_a_pair(const std::function<void(MessageSender&)>& action) {
  if (own_rank() == 0) {
    MessageSender sender({0, 1}, most_bytes, clock_s);
    action(sender);
    sender.end();
  } else if (own_rank() == 1) {
    MessageReceiver({0, 1}, most_bytes).serve();
  }
  MPI_Request all_done = MPI_REQUEST_NULL;
  MPI_Ibarrier(MPI_COMM_WORLD, &all_done);
  for (int is_done = 0; is_done == 0;) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    MPI_Test(&all_done, &is_done, MPI_STATUS_IGNORE);
  }
}

/// Of all messages of some visits: another program may have a processor in some of them, not in most.
std::vector<MessageTiming> timings_of(MessageSender& sender, const Visit& visit) {
  constexpr int visits = 5;
  std::vector<MessageTiming> all;
  for (int i = 0; i < visits; ++i) std::ranges::copy(sender.visit(visit), std::back_inserter(all));
  return all;
}

bool most_waited(MessageSender& sender, SendMode mode, Index bytes) {
  const auto timings = timings_of(sender, {mode, ReceivePosted::after, bytes, 2, repetitions, 2e-3});
  return 2 * std::ranges::count(timings, true, &MessageTiming::has_waited) > std::ssize(timings);
}

/// Of messages whose receive is posted.
MessageTiming median_timing(MessageSender& sender, SendMode mode, Index bytes) {
  std::vector<double> sender_s, receiver_s;
  for (const MessageTiming& timing :
       timings_of(sender, {mode, ReceivePosted::before, bytes, 2, repetitions, 0})) {
    sender_s.push_back(timing.sender_s);
    receiver_s.push_back(timing.receiver_s);
  }
  return {median_of(sender_s), median_of(receiver_s)};
}

TEST(MessageSender, TimesEveryModeOnBothSides) {
  with_a_pair([](MessageSender& sender) {
    for (const SendMode mode : communication::send_modes) {
      SCOPED_TRACE(communication::name_of(mode));
      const MessageTiming small = median_timing(sender, mode, 0),
                          large = median_timing(sender, mode, most_bytes);
      constexpr double fastest_s = most_bytes / 100e9;  // no memory is faster
      EXPECT_GT(small.sender_s, 5e-9) << "a call of MPI";
      EXPECT_GT(large.sender_s, fastest_s) << "it copies, or waits for the receiver";
      if (ranks() > 2)
        continue;  // more than there are processors may take turns, and what is left tells of these
      EXPECT_GT(large.receiver_s, fastest_s);
      EXPECT_GT(large.receiver_s, 10 * small.receiver_s);
    }
  });
}

TEST(MessageSender, GivesATimingForEveryMessage) {
  with_a_pair([](MessageSender& sender) {
    EXPECT_EQ(std::ssize(sender.visit({SendMode::standard, ReceivePosted::before, 64, 2, repetitions, 0})),
              repetitions);
  });
}

TEST(MessageSender, WaitsOnlyInTheModesThatDo) {
  with_a_pair([](MessageSender& sender) {
    const MessageTiming standard = median_timing(sender, SendMode::standard, 64);
    EXPECT_GT(median_timing(sender, SendMode::synchronous, 64).sender_s, 1.3 * standard.sender_s)
        << "until its receive is matched";
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

TEST(MessageSender, SendsBurstsThatNobodyAnswers) {
  with_a_pair([](MessageSender& sender) {
    const double round_trip_s = [&] {
      sender.visit({SendMode::standard, ReceivePosted::before, 0, 0, 50, 0});
      return median_of(sender.round_trips_s());
    }();
    std::vector<double> gaps_s;
    for (int i = 0; i < 11; ++i) gaps_s.push_back(sender.burst_s({64, 200}) / 199);
    EXPECT_GT(median_of(gaps_s), 5e-9);
    if (ranks() > 2) return;  // they may take turns
    EXPECT_LT(median_of(gaps_s), round_trip_s) << "which has an answer";
  });
}

TEST(MessageSender, KeepsItsRoundTrips) {
  with_a_pair([](MessageSender& sender) {
    sender.visit({SendMode::standard, ReceivePosted::before, 0, 0, 1, 0});
    EXPECT_GE(sender.round_trips_s().size(), 2u);
    EXPECT_GT(std::ranges::min(sender.round_trips_s()), 0);
  });
}

TEST(MpiSettings, NameTheWaysThroughTheNetwork) {
  const auto settings = profile::mpi_settings();
  EXPECT_EQ(settings.at("btl_tcp_eager_limit"), "65536");
  EXPECT_FALSE(settings.contains("no_such_variable"));
}

}  // namespace
}  // namespace loadshare::tool
