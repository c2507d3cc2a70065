#include "apps/loadshare/predict/hosts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "apps/loadshare/survey/survey_file.hpp"
#include "schedulers/error.hpp"
#include "tests/apps/loadshare/survey/made_survey.hpp"

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
  EXPECT_EQ(hosts[1].grant->tick_s, 0.004);
  EXPECT_EQ(hosts[1].link_bytes_per_s, 12.5e6);
  for (const std::size_t unlimited : {2U, 3U}) {
    EXPECT_FALSE(hosts[unlimited].grant);
    EXPECT_EQ(hosts[unlimited].speed, 1);
    EXPECT_EQ(hosts[unlimited].link_bytes_per_s, 125e6);
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
  EXPECT_EQ(error_of(""), "there are no hosts (--hosts is empty) write them as 6x0.1,3x0.3 or a=1,b=0.5");
}

TEST_F(Hosts, ThatAreMissingAreToldWithWhatMayHaveBeenMeant) {
  const std::string help = "name a lab file or a survey, or write hosts as 6x0.1,3x0.3 or a=1,b=0.5";
  EXPECT_EQ(error_of("hosts.json"), "there is no file 'hosts.json' " + help);
  EXPECT_EQ(error_of("none/hosts.json"), "there is no file 'none/hosts.json' " + help);
  EXPECT_EQ(error_of("nan"), "there is no file 'nan' " + help);
  put("paper-now.yaml", lab);
  put("hosts.json", "");
  EXPECT_EQ(error_of("hosst.json"), "there is no file 'hosst.json' did you mean 'hosts.json'?");
  EXPECT_EQ(error_of("paper-now"), "there is no file 'paper-now' did you mean 'paper-now.yaml'?");
  EXPECT_EQ(error_of("paper-new.json"), "there is no file 'paper-new.json' did you mean 'paper-now.yaml'?");
  EXPECT_EQ(error_of("./hosts.jsn"), "there is no file './hosts.jsn' did you mean './hosts.json'?");
}

TEST_F(Hosts, OfFilesThatAreNoneOfBothAreRefused) {
  EXPECT_THAT(error_of("a.json", ""), HasSubstr("a.json is empty (a survey is JSON)"));
  EXPECT_THAT(error_of("a.yaml", ""), HasSubstr("a.yaml"));
  EXPECT_THAT(error_of("a", ""), HasSubstr("a"));
  EXPECT_THAT(error_of("b.json", "{\"kind\": \"loadshare calibration\"}"),
              HasSubstr("b.json: this is no survey"));
  EXPECT_THAT(error_of("c.json", "{"), HasSubstr("c.json:1:2: this is no JSON"));
  EXPECT_THAT(error_of("d.yaml", "schema: 2\n"),
              HasSubstr("d.yaml:1:9: schema is 2 (this program reads schema 1)"));
  EXPECT_THAT(error_of("e.yaml", "schema: 1\nname: x\nhosts:\n  - {name: a, share: 0, link: 1gbit}\n"),
              HasSubstr("e.yaml:4:22: share is '0'"));
  EXPECT_EQ(error_of("."), "cannot read . (is a directory)");
}

}  // namespace
}  // namespace loadshare::tool
