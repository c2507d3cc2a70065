#include "apps/loadshare/survey/remarks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/apps/loadshare/survey/made_survey.hpp"

namespace loadshare::tool {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// So many like the first of the made survey, for a second.
HostSurvey alike(std::size_t ranks) {
  HostSurvey survey = made_survey();
  survey.seconds = 1;
  survey.ranks.resize(1);
  survey.ranks.resize(ranks, survey.ranks.front());
  return survey;
}

TEST(SurveyRemarks, AreNoneWhereEachRankHasItsOwn) {
  EXPECT_THAT(remarks_on(made_survey()), IsEmpty());
}

TEST(SurveyRemarks, NameRanksThatShareProcessorsAndLimits) {
  EXPECT_THAT(
      remarks_on(alike(3)),
      ElementsAre("3 ranks of host slow share 2 processors: what one has is not available to the others",
                  "3 ranks of host slow live by one control group's limit: each is granted an equal part of "
                  "it"));
}

TEST(SurveyRemarks, NameRanksThatComputedLittle) {
  HostSurvey survey = alike(1);
  survey.ranks.front().speed.pieces = 1;
  EXPECT_THAT(remarks_on(survey),
              ElementsAre("1 of 1 rank computed fewer than 30 pieces of work: give more --seconds"));
}

TEST(SurveyRemarks, NameRanksThatHadFewTurns) {
  HostSurvey survey = alike(1);
  survey.seconds = 0.2;  // five turns of 4 ms
  EXPECT_THAT(
      remarks_on(survey),
      ElementsAre("limits let ranks run in few long turns, so what is available may be up to 20 % off: "
                  "give more --seconds"));
}

}  // namespace
}  // namespace loadshare::tool
