#include "experiments/lab/status.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/experiments/lab/sample_lab.hpp"

namespace loadshare::lab {
namespace {

TEST(Status, HasOneLinePerHost) {
  EXPECT_EQ(status_table({sample_lab(), {0, 12}}),
            "pair: up, 2 hosts on 10.208.0.0/24, for /home/me/results\n"
            "\n"
            "host  address        share   cpu         link  processes\n"
            "slow  10.208.0.1       0.1     0    10 Mbit/s          0\n"
            "fast  10.208.0.2       0.3     1   100 Mbit/s         12\n");
}

TEST(Status, AFreeShareHasNoProcessesOfItsOwn) {
  LabStatus status{sample_lab(), {std::nullopt, 12}};
  status.state.plan.hosts[0].share = 0;
  status.state.places[0].processors = {0, 1};
  EXPECT_NE(status_table(status).find("slow  10.208.0.1      free   0+1    10 Mbit/s          -\n"),
            std::string::npos);
  EXPECT_TRUE(nlohmann::json::parse(status_json({{status}}))[0]["hosts"][0]["processes"].is_null());
}

TEST(Status, ReportsAnIncompleteLab) {
  LabState state = sample_lab();
  state.is_up = false;
  EXPECT_EQ(status_table({state, {0, 0}}).substr(0, 67),
            "pair: incomplete; repair it with `lab up` or remove it with `lab do");
}

TEST(Status, JsonHasTheProcessesToo) {
  const std::vector<LabStatus> labs{{sample_lab(), {0, 12}}};
  const auto json = nlohmann::json::parse(status_json(labs));
  EXPECT_EQ(json[0]["name"], "pair");
  EXPECT_EQ(json[0]["hosts"][1]["name"], "fast");
  EXPECT_EQ(json[0]["hosts"][1]["processes"], 12);
}

}  // namespace
}  // namespace loadshare::lab
