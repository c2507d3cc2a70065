#include "runtime/host/threads.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <atomic>

#include "tests/error_of.hpp"

namespace loadshare {
namespace {

using testing::HasSubstr;

TEST(CheckedThread, HandsItsExceptionToTheOneThatJoinsIt) {
  CheckedThread thread;
  thread.start("for a test", [] { throw 42; });
  EXPECT_EQ(thrown_text([&] { thread.join(); }), "an exception of unknown type");
  EXPECT_NO_THROW(thread.join()) << "once";
}

TEST(CheckedThread, IsWaitedForByWhatEndsEarly) {
  std::atomic<bool> has_ended = false;
  {
    CheckedThread thread;
    thread.start("for a test", [&] {
      has_ended = true;
      throw 42;
    });
  }
  EXPECT_TRUE(has_ended);
}

// The limits of this process; a lower limit on addresses is set while the text is made.
TEST(CheckedThread, WithoutOneTheLimitsAreNamed) {
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NPROC, &before), 0);
  const rlim_t low = 12'345 < before.rlim_max ? 12'345 : before.rlim_max;
  const rlimit limit{low, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NPROC, &limit), 0);
  const std::string why = why_no_thread(std::system_error(EAGAIN, std::generic_category()));
  setrlimit(RLIMIT_NPROC, &before);
  EXPECT_THAT(why, HasSubstr("Resource temporarily unavailable; "));
  EXPECT_THAT(why, HasSubstr(std::to_string(low) + " processes and threads, by ulimit -u"));
}

}  // namespace
}  // namespace loadshare
