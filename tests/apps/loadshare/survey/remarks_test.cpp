#include "apps/loadshare/survey/remarks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/apps/loadshare/survey/made_survey.hpp"

namespace loadshare::tool {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(SurveyRemarks, AreNoneWhereEachRankHasItsOwn) {
  EXPECT_THAT(remarks_on(made_survey().ranks), IsEmpty());
}

TEST(SurveyRemarks, NameRanksThatShareProcessorsAndLimits) {
  std::vector<SurveyedRank> ranks(3, made_survey().ranks.front());
  EXPECT_THAT(
      remarks_on(ranks),
      ElementsAre("3 ranks of host slow share 2 processors: what one has is not available to the others",
                  "3 ranks of host slow live by one control group's limit: each is granted an equal part of "
                  "it"));
}

TEST(SurveyRemarks, NameRanksThatComputedLittle) {
  std::vector<SurveyedRank> ranks = made_survey().ranks;
  ranks[1].speed.pieces = 1;
  EXPECT_THAT(remarks_on(ranks), ElementsAre("rank 1 computed 1 piece of work only: give more --seconds"));
}

}  // namespace
}  // namespace loadshare::tool
