#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>

#include "runtime/farm/rank_report.hpp"
#include "runtime/host/cgroup_quota.hpp"
#include "runtime/host/scheduling.hpp"
#include "tests/many_processors.hpp"

namespace loadshare {
namespace {

using ::testing::ElementsAre;

TEST(ManyProcessors, AreAllKnown) {
  const test::ManyProcessors machine(2000, {5, 1023, 1024, 1999});
  EXPECT_THAT(allowed_cpus(), ElementsAre(5, 1023, 1024, 1999));
  EXPECT_EQ(allowed_cores(), 4);
}

TEST(ManyProcessors, AreInTheReportOfARank) {
  const test::ManyProcessors machine(9000, {1023, 8999});
  const RankReport report = describe_process(0);
  EXPECT_THAT(report.cpus, ElementsAre(1023, 8999));
  EXPECT_EQ(binding_of({report}), "up to 2 processors a rank");
}

/// The reader of reports has a limit, because they come from other processes.
TEST(ManyProcessors, MayAllBeInAReport) {
  RankReport report;
  for (int number = 0; number < 8192; ++number) report.cpus.push_back(number);
  const std::optional<RankReport> read = decode_rank_report(encode(report), {.rank = 0});
  ASSERT_TRUE(read);
  EXPECT_EQ(read->cpus, report.cpus);
}

TEST(ManyProcessors, CanEachHaveAThread) {
  const test::ManyProcessors machine(3000, {7, 1500, 2999});
  {
    const PinnedThread pinned(2999);
    EXPECT_TRUE(pinned.is_pinned());
    EXPECT_THAT(allowed_cpus(), ElementsAre(2999));
  }
  EXPECT_THAT(allowed_cpus(), ElementsAre(7, 1500, 2999));
}

TEST(ManyProcessors, RefuseAProcessorThatDoesNotExist) {
  const test::ManyProcessors machine(2000, {0, 1});
  EXPECT_FALSE(PinnedThread(2000).is_pinned());
  EXPECT_FALSE(run_on(ProcessorSet()));
  EXPECT_THAT(allowed_cpus(), ElementsAre(0, 1));
}

TEST(SilentKernel, LeavesTheProcessorsThatAreOnline) {
  for (const int error : {EINVAL, EPERM, ENOSYS}) {
    const test::SilentKernel silent(error);
    EXPECT_EQ(allowed_cores(), sysconf(_SC_NPROCESSORS_ONLN));
    EXPECT_EQ(allowed_cpus().front(), 0);
    EXPECT_GE(granted_cores(), 1);
  }
}

}  // namespace
}  // namespace loadshare
