#include "apps/loadshare/host_survey.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/apps/loadshare/made_survey.hpp"

namespace loadshare::tool {
namespace {

/// The made survey's text with `from` in it turned into `to`.
std::string with(const std::string& from, const std::string& to) {
  std::string text = to_json(made_survey());
  const std::size_t at = text.find(from);
  if (at == text.npos) throw std::logic_error(from + " is not there");
  return text.replace(at, from.size(), to);
}

std::string error_of(const std::string& text) {
  try {
    parse_survey(text, "h.json");
  } catch (const UsageError& error) {
    return error.what();
  }
  return "none";
}

constexpr const char* damaged = "the file is damaged, or was not written by loadshare";

TEST(SurveyFile, IsReadAsItWasWritten) {
  HostSurvey survey = made_survey();
  survey.notes = {"something to know"};
  const HostSurvey read = parse_survey(to_json(survey), "h.json");
  EXPECT_EQ(to_json(read), to_json(survey));
  EXPECT_EQ(read.ranks[0].host, "slow");
  EXPECT_EQ(read.ranks[0].cpus, (std::vector{0, 1}));
  EXPECT_EQ(read.ranks[0].grant->period_s, 0.01);
  EXPECT_EQ(read.ranks[0].available, 0.5);
  EXPECT_FALSE(read.ranks[1].grant);
  EXPECT_EQ(read.ranks[1].speed.median_gflops, 9);
}

TEST(SurveyFile, HasARankALine) {
  EXPECT_EQ(to_json(made_survey()),
            R"({
"kind": "loadshare survey",
"schema": 1,
"begun": "2026-01-31T12:00:00Z",
"seconds": 0.5,
"versions": {"loadshare":"0.1.0","mpi":"Open MPI v4.1.4"},
"ranks": [
{"rank":0,"host":"slow","cpus":[0,1],"system":"Linux 6.1.0","gflops":{"median":4.5,"low":4.0,"high":5.0,"pieces":500},"grant":{"share":0.1,"period_s":0.01,"tick_s":0.004},"busy":0.05,"available":0.5},
{"rank":1,"host":"fast","cpus":[2],"system":"Linux 6.1.0","gflops":{"median":9.0,"low":8.0,"high":10.0,"pieces":5000},"grant":null,"busy":0.9,"available":0.9}],
"notes": []
}
)");
}

TEST(SurveyFile, ThatIsNoneIsToldAsSuch) {
  EXPECT_EQ(error_of(""), "h.json is empty (a survey is JSON); write one with loadshare survey --out FILE");
  EXPECT_EQ(error_of(" \n"), error_of(""));
  EXPECT_EQ(error_of("[]"), fmt::format("h.json: the survey is no JSON object (array); {}", damaged));
  EXPECT_EQ(error_of("{}"),
            "h.json: this is not a survey (its 'kind' is not \"loadshare survey\"); give a file that "
            "loadshare survey wrote");
  EXPECT_EQ(error_of(with("loadshare survey", "loadshare calibration")), error_of("{}"));
  EXPECT_EQ(error_of(with("\"schema\": 1", "\"schema\": 2")),
            "h.json: a survey of schema 2 (this program reads 1); use the loadshare that wrote it");
}

TEST(SurveyFile, ThatIsDamagedIsToldWithThePlace) {
  const std::string text = to_json(made_survey());
  EXPECT_EQ(error_of(text.substr(0, text.find("\"fast\""))),
            "h.json:9:18: this is no JSON (the file is cut short or damaged, or was not written by "
            "loadshare survey)");
  EXPECT_THAT(error_of(with("4.5", "1e999")), testing::HasSubstr("a number in it is too large"));
}

TEST(SurveyFile, ValuesOutOfTheirRangesAreToldWithTheLine) {
  const auto refusal = [](const std::string& text) { return fmt::format("h.json:8: {}; {}", text, damaged); };
  EXPECT_EQ(error_of(with("\"median\":4.5", "\"median\":0")),
            refusal("'median' of 'gflops' is 0 (it is more than 0 and at most 1000000000)"));
  EXPECT_EQ(error_of(with("\"median\":4.5", "\"median\":-4.5")),
            refusal("'median' of 'gflops' is -4.5 (it is more than 0 and at most 1000000000)"));
  EXPECT_EQ(error_of(with("\"median\":4.5", "\"median\":\"4.5\"")),
            refusal("'median' of 'gflops' is \"4.5\" (it must be a number)"));
  EXPECT_EQ(error_of(with("\"median\":4.5", "\"median\":null")),
            refusal("'median' of 'gflops' is null (it must be a number)"));
  EXPECT_EQ(error_of(with("\"low\":4.0", "\"low\":4.6")),
            refusal("the median speed is not between the low and the high one (it is by their meaning)"));
  EXPECT_EQ(error_of(with("\"available\":0.5", "\"available\":0")),
            refusal("'available' of rank 0 is 0 (it is more than 0 and at most 1)"));
  EXPECT_EQ(error_of(with("\"share\":0.1", "\"share\":1.5")),
            refusal("'share' of the grant is 1.5 (it is more than 0 and at most 1)"));
  EXPECT_EQ(error_of(with("[0,1]", "[0,-1]")), refusal("a processor in 'cpus' is -1 (they count from 0)"));
  EXPECT_EQ(error_of(with("\"rank\":0", "\"rank\":4294967296")),
            refusal("found rank 4294967296 in place of rank 0 (ranks must be in order)"));
  EXPECT_EQ(error_of(with("\"host\":\"slow\",", "")), refusal("rank 0 has no 'host' (every record has one)"));
}

TEST(SurveyFile, NeedsARank) {
  HostSurvey survey = made_survey();
  survey.ranks.clear();
  EXPECT_EQ(error_of(to_json(survey)),
            fmt::format("h.json: there are no ranks (every survey has one); {}", damaged));
  EXPECT_THAT(error_of(with("\"ranks\": [", "\"ranks\": [3, ")),
              testing::HasSubstr("rank 0 is no JSON object (number)"));
}

}  // namespace
}  // namespace loadshare::tool
