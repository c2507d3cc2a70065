#include "models/efficiency/runs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace loadshare::granularity {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(SharedProcessors, HostsWithMoreRanksThanProcessorsAreNamed) {
  EXPECT_THAT(remarks_on_shared_processors({{"a", {0, 1}}, {"a", {0, 1}}, {"a", {0, 1}}, {"b", {0}}}),
              ElementsAre("3 ranks of host a share 2 processors: what they take from each other counts as "
                          "stolen"));
  EXPECT_THAT(remarks_on_shared_processors({{"a", {4}}, {"a", {4}}}),
              ElementsAre(testing::HasSubstr("2 ranks of host a share 1 processor:")));
}

TEST(SharedProcessors, RanksBoundToTheSameProcessorAreNamed) {
  EXPECT_THAT(remarks_on_shared_processors({{"a", {0}}, {"a", {0}}, {"a", {1, 2, 3}}}),
              ElementsAre(testing::HasSubstr("2 ranks of host a share 1 processor:")));
  EXPECT_THAT(
      remarks_on_shared_processors({{"a", {0}}, {"a", {1}}, {"a", {0}}, {"a", {1}}, {"a", {2, 3, 4}}}),
      ElementsAre(testing::HasSubstr("4 ranks of host a share 2 processors:")));
}

TEST(SharedProcessors, RanksWithOneProcessorEachAreNotNamed) {
  EXPECT_THAT(remarks_on_shared_processors({{"a", {0}}, {"a", {1}}, {"b", {0}}}), IsEmpty());
  EXPECT_THAT(remarks_on_shared_processors({{"a", {}}, {"a", {}}}), IsEmpty());
}

}  // namespace
}  // namespace loadshare::granularity
