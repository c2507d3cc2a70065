#include "apps/loadshare/survey/survey_text.hpp"

#include <gtest/gtest.h>

#include "tests/apps/loadshare/survey/made_survey.hpp"

namespace loadshare::tool {
namespace {

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
