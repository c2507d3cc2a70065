#include "experiments/lab/launcher_messages.hpp"

#include <gtest/gtest.h>

namespace loadshare::lab {
namespace {

TEST(LauncherMessages, OnlyTheRaceForTheProcessGroupIsHarmless) {
  EXPECT_TRUE(
      is_harmless("[switch:21316] plm:rsh: Warning: setpgid(21326,21326) failed in parent with "
                  "errno=Permission denied(13)\n"));
  EXPECT_FALSE(is_harmless("mpirun was unable to find the specified executable file, and therefore\n"));
  EXPECT_FALSE(is_harmless("\n"));
}

}  // namespace
}  // namespace loadshare::lab
