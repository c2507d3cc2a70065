#include "apps/loadshare/host_survey.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/apps/loadshare/made_survey.hpp"

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
      ElementsAre(
          "3 ranks of host slow share 2 processors: what one rank uses is not available to the others",
          "3 ranks of host slow share the limit of one control group: each is assumed to get an equal part"));
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
  EXPECT_THAT(remarks_on(survey), ElementsAre("limits let ranks run in few long turns, so the available "
                                              "shares may be off by up to 20 %: give more --seconds"));
}

TEST(SurveyText, IsALineARank) {
  EXPECT_EQ(survey_text(made_survey()),
            "survey: 2 ranks on 2 hosts, busy for 500 ms at the same time\n\n"
            "rank  host  GFLOP/s  5 to 95 %                grant  busy%  available%\n"
            "   0  slow      4.5     4 to 5  0.1 of each 10.0 ms    5.0        50.0\n"
            "   1  fast        9    8 to 10                    -   90.0        90.0\n");
}

TEST(SurveyText, SaysNothingOfLimitsWhereThereAreNone) {
  HostSurvey survey = made_survey();
  survey.ranks.erase(survey.ranks.begin());
  survey.notes = {"something to know"};
  EXPECT_EQ(survey_text(survey),
            "survey: 1 rank on 1 host, busy for 500 ms\n\n"
            "rank  host  GFLOP/s  5 to 95 %  busy%  available%\n"
            "   1  fast        9    8 to 10   90.0        90.0\n\n"
            "note  something to know\n");
}

}  // namespace
}  // namespace loadshare::tool
