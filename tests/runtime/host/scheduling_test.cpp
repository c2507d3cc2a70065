#include "runtime/host/scheduling.hpp"

#include <gtest/gtest.h>
#include <sys/prctl.h>

namespace loadshare {
namespace {

TEST(PunctualWaking, EndsWithItsObject) {
  const int slack_ns = prctl(PR_GET_TIMERSLACK);
  {
    const PunctualWaking punctual;
    EXPECT_EQ(prctl(PR_GET_TIMERSLACK), 1000);
  }
  EXPECT_EQ(prctl(PR_GET_TIMERSLACK), slack_ns);
}

}  // namespace
}  // namespace loadshare
