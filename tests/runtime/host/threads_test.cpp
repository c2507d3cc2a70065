#include "runtime/host/threads.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <atomic>

#include "tests/error_of.hpp"

namespace loadshare {
namespace {

using testing::HasSubstr;

TEST(CheckedThread, RethrowsItsExceptionInTheJoiningThread) {
  CheckedThread thread;
  thread.start("for a test", [] { throw 42; });
  EXPECT_EQ(thrown_text([&] { thread.join(); }), "an exception of unknown type");
  EXPECT_NO_THROW(thread.join()) << "once";
}

TEST(CheckedThread, IsAwaitedByItsDestructor) {
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

// Compares the text with this process's limits; it is made under a lower limit of addresses.
TEST(CheckedThread, NamesTheLimitsIfTheSystemRefusesAThread) {
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NPROC, &before), 0);
  const rlim_t low = 12'345 < before.rlim_max ? 12'345 : before.rlim_max;
  const rlimit limit{low, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NPROC, &limit), 0);
  const std::string why = why_no_thread(std::system_error(EAGAIN, std::generic_category()));
  setrlimit(RLIMIT_NPROC, &before);
  EXPECT_THAT(why, HasSubstr("resource temporarily unavailable; "));
  EXPECT_THAT(why, HasSubstr(std::to_string(low) + " processes and threads (ulimit -u)"));
}

}  // namespace
}  // namespace loadshare
