#include "runtime/transport/tcp/lease.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "base/error.hpp"
#include "tests/granted_threads.hpp"

namespace loadshare::tcp {
namespace {

constexpr double lease_s = 0.4;

/// A lease, and the times at which it ran out and ended the process.
struct Watched {
  std::atomic<double> ran_out_s = 0, ended_s = 0;
  Lease lease{lease_s, [this] { ran_out_s = Lease::now_s(); }, [this] { ended_s = Lease::now_s(); }};

  /// Whether both were done, in time.
  bool await_end() const {
    for (const double end_s = Lease::now_s() + 20; ended_s == 0 && Lease::now_s() < end_s;) wait(0.01);
    return ended_s > 0;
  }
  static void wait(double seconds) { std::this_thread::sleep_for(std::chrono::duration<double>(seconds)); }
};

TEST(Lease, TheMasterWaitsLonger) {
  EXPECT_LT(lease_s, ended_after_s(lease_s));
  EXPECT_LT(ended_after_s(lease_s), given_again_after_s(lease_s));
}

TEST(Lease, IsNoneUntilTheMasterHasAnswered) {
  Watched watched;
  EXPECT_FALSE(watched.lease.is_valid());
  watched.lease.renew(Lease::now_s());
  EXPECT_TRUE(watched.lease.is_valid());
}

TEST(Lease, CountsFromTheAnsweredMessageNotFromTheAnswer) {
  Watched watched;
  watched.lease.renew(Lease::now_s() - 2 * lease_s);
  EXPECT_FALSE(watched.lease.is_valid());
  watched.lease.renew(Lease::now_s());
  watched.lease.renew(Lease::now_s() - 2 * lease_s);
  EXPECT_TRUE(watched.lease.is_valid()) << "an answer came that was overtaken";
}

TEST(Lease, StopsFirstAndEndsTheProcessThen) {
  Watched watched;
  const double from_s = Lease::now_s();
  watched.lease.renew(from_s);
  watched.lease.took();
  ASSERT_TRUE(watched.await_end());
  EXPECT_GE(watched.ran_out_s, from_s + lease_s);
  EXPECT_GE(watched.ended_s, from_s + ended_after_s(lease_s));
  EXPECT_GE(watched.ended_s, watched.ran_out_s);
}

TEST(Lease, OnceItHasRunOutAnAnswerComesTooLate) {
  Watched watched;
  watched.lease.took();
  for (const double end_s = Lease::now_s() + 20; watched.ran_out_s == 0 && Lease::now_s() < end_s;)
    Watched::wait(0.001);
  watched.lease.renew(Lease::now_s());
  EXPECT_FALSE(watched.lease.is_valid());
  EXPECT_TRUE(watched.await_end());
}

TEST(Lease, AProcessWithoutChunksLosesNothing) {
  Watched watched;
  watched.lease.took();
  watched.lease.renew(Lease::now_s());
  watched.lease.gave_back();
  Watched::wait(2 * lease_s);
  EXPECT_EQ(watched.ran_out_s, 0);
  watched.lease.renew(Lease::now_s());
  EXPECT_TRUE(watched.lease.is_valid());
}

TEST(Lease, IsNoneWhereTheSystemStartsNoThread) {
  const test::GrantedThreads none(0);
  try {
    const Watched watched;
    ADD_FAILURE() << "nobody would watch it";
  } catch (const Error& error) {
    EXPECT_EQ(error.text().problem, "the system cannot start a thread that watches its lease");
  }
}

TEST(Lease, GoesOnAsLongAsTheMasterAnswers) {
  Watched watched;
  watched.lease.renew(Lease::now_s());
  watched.lease.took();
  for (int i = 0; i < 16; ++i) {
    Watched::wait(lease_s / 8);
    watched.lease.renew(Lease::now_s());
  }
  EXPECT_EQ(watched.ran_out_s, 0);
}

}  // namespace
}  // namespace loadshare::tcp
