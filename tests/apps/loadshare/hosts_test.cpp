#include "apps/loadshare/hosts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "apps/loadshare/changes.hpp"
#include "apps/loadshare/host_survey.hpp"
#include "base/error.hpp"
#include "tests/apps/loadshare/made_survey.hpp"
#include "tests/error_of.hpp"

namespace loadshare::tool {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

constexpr const char* lab = R"(schema: 1
name: small
period: 20ms
hosts:
  - {name: slow, count: 2, share: 0.10, link: 100mbit}
  - {name: whole, share: 1, link: 1gbit}
  - {name: wide, share: 2, link: 1gbit}
)";

/// Stands in a folder of its own.
class Hosts : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(folder_);
    fs::current_path(folder_);
  }
  void TearDown() override {
    fs::current_path("/");
    fs::remove_all(folder_);
  }

  static void put(const std::string& name, const std::string& content) { std::ofstream(name) << content; }

  static std::string error_of(const std::string& text) {
    try {
      read_hosts(text);
    } catch (const UsageError& error) {
      return error.what();
    }
    return "none";
  }

  static std::string error_of(const std::string& name, const std::string& content) {
    put(name, content);
    return error_of(name);
  }

  fs::path folder_ = fs::path(::testing::TempDir()) / ("hosts_" + std::to_string(getpid()));
};

TEST_F(Hosts, OfALabHaveItsSharesAsGrants) {
  put("lab.yaml", lab);
  const auto hosts = read_hosts("lab.yaml");
  ASSERT_EQ(hosts.size(), 4);
  EXPECT_EQ(hosts[1].name, "slow2");
  EXPECT_EQ(hosts[1].speed, 1);
  ASSERT_TRUE(hosts[1].grant);
  EXPECT_EQ(hosts[1].grant->share, 0.1);
  EXPECT_EQ(hosts[1].grant->period_s, 0.02);
  EXPECT_EQ(hosts[1].grant->tick_s, 0.0005);
  EXPECT_DOUBLE_EQ(hosts[1].link_bytes_per_s, 12.5e6 * 1538 / 1514);
  for (const std::size_t unlimited : {2U, 3U}) {
    EXPECT_FALSE(hosts[unlimited].grant);
    EXPECT_EQ(hosts[unlimited].speed, 1);
    EXPECT_DOUBLE_EQ(hosts[unlimited].link_bytes_per_s, 125e6 * 1538 / 1514);
  }
}

TEST_F(Hosts, OfASurveyAreAsTheyWereFound) {
  put("h.json", to_json(made_survey()));
  const auto hosts = read_hosts("h.json");
  ASSERT_EQ(hosts.size(), 2);
  EXPECT_EQ(hosts[0].name, "slow");
  EXPECT_EQ(hosts[0].speed, 4.5);
  EXPECT_EQ(hosts[0].available, 0.5);
  ASSERT_TRUE(hosts[0].grant);
  EXPECT_EQ(hosts[0].grant->share, 0.1);
  EXPECT_EQ(hosts[0].link_bytes_per_s, 0);
  EXPECT_EQ(hosts[1].speed, 9);
  EXPECT_EQ(hosts[1].available, 0.9);
  EXPECT_FALSE(hosts[1].grant);
}

TEST_F(Hosts, AreKnownByTheirContentWhereTheNameDoesNotTell) {
  put("now", to_json(made_survey()));
  put("lab", lab);
  EXPECT_EQ(read_hosts("now").size(), 2);
  EXPECT_EQ(read_hosts("lab").size(), 4);
}

TEST_F(Hosts, WrittenByHandUnlessAFileIsCalledSo) {
  EXPECT_EQ(read_hosts("6x0.1,3x0.3").size(), 9);
  fs::create_directory("2");
  EXPECT_EQ(read_hosts("2").front().speed, 2);
  put("3", lab);
  EXPECT_EQ(read_hosts("3").size(), 4);
  EXPECT_THAT(error_of("1,nan"), HasSubstr("'nan' is no host"));
  EXPECT_EQ(error_of(""), "there are no hosts (--hosts is empty); write them as 6x0.1,3x0.3 or a=1,b=0.5");
}

TEST_F(Hosts, ThatAreMissingAreToldWithWhatMayHaveBeenMeant) {
  const std::string help = "name a lab file or a survey, or write hosts as 6x0.1,3x0.3 or a=1,b=0.5";
  EXPECT_EQ(error_of("hosts.json"), "there is no file 'hosts.json'; " + help);
  EXPECT_EQ(error_of("none/hosts.json"), "there is no file 'none/hosts.json'; " + help);
  EXPECT_EQ(error_of("nan"), "there is no file 'nan'; " + help);
  put("paper-now.yaml", lab);
  put("hosts.json", "");
  EXPECT_EQ(error_of("hosst.json"), "there is no file 'hosst.json'; did you mean 'hosts.json'?");
  EXPECT_EQ(error_of("paper-now"), "there is no file 'paper-now'; did you mean 'paper-now.yaml'?");
  EXPECT_EQ(error_of("paper-new.json"), "there is no file 'paper-new.json'; did you mean 'paper-now.yaml'?");
  EXPECT_EQ(error_of("./hosts.jsn"), "there is no file './hosts.jsn'; did you mean './hosts.json'?");
}

TEST_F(Hosts, OfFilesThatAreNoneOfBothAreRefused) {
  EXPECT_THAT(error_of("a.json", ""), HasSubstr("a.json is empty (a survey is JSON)"));
  EXPECT_THAT(error_of("a.yaml", ""), HasSubstr("a.yaml"));
  EXPECT_THAT(error_of("a", ""), HasSubstr("a"));
  EXPECT_THAT(error_of("b.json", "{\"kind\": \"loadshare calibration\"}"),
              HasSubstr("b.json: this is not a survey"));
  EXPECT_THAT(error_of("c.json", "{"), HasSubstr("c.json:1:2: this is no JSON"));
  EXPECT_THAT(error_of("d.yaml", "schema: 2\n"),
              HasSubstr("d.yaml:1:9: schema is 2 (this version reads schema 1)"));
  EXPECT_THAT(error_of("e.yaml", "schema: 1\nname: x\nhosts:\n  - {name: a, share: 0, link: 1gbit}\n"),
              HasSubstr("e.yaml:4:22: share is '0'"));
  EXPECT_EQ(error_of("."), "cannot read . (it is a directory)");
}

using testing::ElementsAre;

std::vector<double> speeds_of(const std::string& text) {
  std::vector<double> speeds;
  for (const predictor::HostModel& host : parse_hosts_by_hand(text)) speeds.push_back(host.speed);
  return speeds;
}

std::vector<std::string> names_of(const std::string& text) {
  std::vector<std::string> names;
  for (const predictor::HostModel& host : parse_hosts_by_hand(text)) names.push_back(host.name);
  return names;
}

std::string error_of(const std::string& text) {
  try {
    parse_hosts_by_hand(text);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "none";
}

std::string refusal(const std::string& part, const std::string& why) {
  return "'" + part + "' is no host (" + why + "); write hosts as 6x0.1,3x0.3 or a=1,b=0.5";
}

TEST(HostsByHand, AreSpeedsInOrder) {
  EXPECT_THAT(speeds_of("1,1,0.5"), ElementsAre(1, 1, 0.5));
  EXPECT_THAT(speeds_of("2x0.1,1,1x3e2"), ElementsAre(0.1, 0.1, 1, 300));
  EXPECT_THAT(names_of("2x0.1,1"), ElementsAre("host1", "host2", "host3"));
}

TEST(HostsByHand, MayHaveNames) {
  EXPECT_THAT(speeds_of("a=1,b=0.5"), ElementsAre(1, 0.5));
  EXPECT_THAT(names_of("a=1,b=0.5"), ElementsAre("a", "b"));
  EXPECT_THAT(names_of("slow=2x0.1,0.2,fast=1x1"), ElementsAre("slow1", "slow2", "host3", "fast"));
  EXPECT_THAT(names_of("xenon=1,box=2"), ElementsAre("xenon", "box"));
}

TEST(HostsByHand, HaveAllOfAProcessorAndUnknownLinks) {
  const predictor::HostModel host = parse_hosts_by_hand("0.5").front();
  EXPECT_FALSE(host.grant);
  EXPECT_EQ(host.available, 1);
  EXPECT_EQ(host.link_bytes_per_s, 0);
}

TEST(HostsByHand, RefusesSpeedsThatAreNone) {
  EXPECT_EQ(error_of("1,0"), refusal("0", "its speed must be more than 0"));
  EXPECT_EQ(error_of("2x-0.5"), refusal("2x-0.5", "its speed must be more than 0"));
  EXPECT_EQ(error_of("-0"), refusal("-0", "its speed must be more than 0"));
  for (const char* nonsense :
       {"1,nan", "1,inf", "1,1e999", "1,fast", "1,0.5s", "1,0.5 ", "1,+1", "1,1e", "1,."})
    EXPECT_THAT(error_of(nonsense), HasSubstr("(its speed must be a number)")) << nonsense;
  EXPECT_EQ(error_of("1e-10"), refusal("1e-10", "its speed must be from 1e-09 to 1e+09"));
  EXPECT_EQ(error_of("a=1e10"), refusal("a=1e10", "its speed must be from 1e-09 to 1e+09"));
}

TEST(HostsByHand, RefusesNumbersOfHostsThatAreNone) {
  EXPECT_EQ(error_of("0x0.5"), refusal("0x0.5", "the count before the x must be at least 1"));
  EXPECT_EQ(error_of("0x10"), refusal("0x10", "the count before the x must be at least 1"));
  EXPECT_EQ(error_of("-3x1"), refusal("-3x1", "the count before the x must be at least 1"));
  for (const char* nonsense : {"x0.5", "1.5x0.5", "1e3x0.5", "sixx1", "2 x1"})
    EXPECT_THAT(error_of(nonsense), HasSubstr("(the count before the x must be a whole number)")) << nonsense;
  EXPECT_EQ(error_of("6x"), refusal("6x", "its speed must be a number"));
  EXPECT_EQ(error_of("2x3x1"), refusal("2x3x1", "its speed must be a number"));
}

TEST(HostsByHand, RefusesWhatStandsBetweenCommasWhereNothingDoes) {
  for (const char* gap : {"", ",", "1,", ",1", "1,,2"})
    EXPECT_EQ(error_of(gap), refusal("", "a comma has no host before or after it")) << gap;
}

TEST(HostsByHand, RefusesNamesThatAreNone) {
  EXPECT_EQ(error_of("=1"), refusal("=1", "there is no name before the ="));
  EXPECT_EQ(error_of("a=1, b=2"), refusal(" b=2", "a name must not contain blanks"));
  EXPECT_EQ(error_of("a=b=2"), refusal("a=b=2", "its speed must be a number"));
  EXPECT_EQ(error_of("a=1,a=2"),
            "two hosts are called 'a' (hosts are identified by their names); give each its own name");
  EXPECT_EQ(error_of("host2=1,2"),
            "two hosts are called 'host2' (hosts are identified by their names); give each its own name");
  EXPECT_EQ(error_of("a2=1,a=2x1"),
            "two hosts are called 'a2' (hosts are identified by their names); give each its own name");
}

TEST(HostsByHand, AreAMillionAtMost) {
  EXPECT_EQ(parse_hosts_by_hand("1,999999x0.5").size(), 1'000'000);
  for (const char* many : {"1000001x1", "1,1000000x0.5", "999999999999999999999x1"})
    EXPECT_EQ(error_of(many), "there are too many hosts (at most 1000000 are predicted); write fewer")
        << many;
}

/// Looked for one by one among all others, one would take minutes.
TEST(Changes, OfOneAmongCrowdsAreQuick) {
  std::vector<predictor::HostModel> hosts = parse_hosts_by_hand("3x1,fast=2");
  const auto change = [&](Change::Kind kind, const char* who, double at_s) {
    apply_changes({{.kind = kind, .who = who, .at_s = at_s, .said = "a change"}}, hosts);
  };
  change(Change::Kind::join, "90000x1", 6);
  ASSERT_EQ(hosts.size(), 90'004);
  change(Change::Kind::leave, "host=90003", 7);
  EXPECT_EQ(hosts[90'002].stay.until_s, 7);
  EXPECT_EQ(loadshare::error_of([&] { change(Change::Kind::leave, "host=fasM", 8); }),
            "a change (there is no host 'fasM'); did you mean 'fast'?");
}

TEST(HostsByHand, LookOtherwiseThanFiles) {
  for (const char* hosts : {"1", "0.5", "-1", ".5", "6x0.1,3x0.3", "a=1", "nan,1", ",", "0x1"})
    EXPECT_TRUE(looks_written_by_hand(hosts)) << hosts;
  for (const char* file :
       {"", "lab.yaml", "2026.json", "a,b.yml", "./1", "x=1/lab", "paper-now", "nan", "..", "-"})
    EXPECT_FALSE(looks_written_by_hand(file)) << file;
}

}  // namespace
}  // namespace loadshare::tool
