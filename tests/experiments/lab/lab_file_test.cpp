#include "experiments/lab/lab_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/yaml/document.hpp"
#include "tests/experiments/yaml/complaint.hpp"

namespace loadshare::lab {
namespace {

using testing::ElementsAre;
using yaml::complaint;

LabPlan plan_of(const std::string& text) {
  return read_lab(yaml::read(text, "f.yaml"));
}

std::string plan_complaint(const std::string& text) {
  return complaint([&] { plan_of(text); });
}

/// The complaint about a lab with this one host, which stands in line 4 from column 5 on.
std::string host_complaint(const std::string& host) {
  return plan_complaint("schema: 1\nname: x\nhosts:\n  - " + host + "\n");
}

TEST(LabFile, NumbersTheHostsOfACount) {
  const LabPlan plan = plan_of(
      "schema: 1\nname: now\nperiod: 20ms\nturn: 1ms\nburst: 250us\nhosts:\n"
      "  - {name: slow, count: 2, share: 0.10, link: 100mbit}\n  - {name: fast, share: 1.5, link: 1gbit}\n");
  EXPECT_EQ(plan.name, "now");
  EXPECT_EQ(plan.period_us, 20000);
  EXPECT_EQ(plan.turn_us, 1000);
  EXPECT_EQ(plan.burst_us, 250);
  EXPECT_THAT(plan.hosts,
              ElementsAre(HostPlan{"slow1", 0.1, 100'000'000}, HostPlan{"slow2", 0.1, 100'000'000},
                          HostPlan{"fast", 1.5, 1'000'000'000}));
}

TEST(LabFile, ThePapersLabsDifferInTheWireAlone) {
  const LabPlan now = read_lab(yaml::load(LOADSHARE_PAPER "/paper-now.yaml"));
  const LabPlan then = read_lab(yaml::load(LOADSHARE_PAPER "/paper-now-10mbit.yaml"));
  ASSERT_EQ(now.hosts.size(), 9u);
  for (std::size_t i = 0; i < 9; ++i) {
    EXPECT_EQ(now.hosts[i].name, (i < 6 ? "slow" : "fast") + std::to_string(i < 6 ? i + 1 : i - 5));
    EXPECT_DOUBLE_EQ(now.hosts[i].share, i < 6 ? 0.1 : 0.3);
    EXPECT_EQ(then.hosts[i].name, now.hosts[i].name);
    EXPECT_EQ(then.hosts[i].share, now.hosts[i].share);
    EXPECT_EQ(now.hosts[i].link_bits_per_s, 10 * then.hosts[i].link_bits_per_s);
  }
}

TEST(LabFile, TheGranularityLabsAreEqualHostsAndSlowOnesBeforeFastOnes) {
  const LabPlan equal = read_lab(yaml::load(LOADSHARE_GRANULARITY "/equal.yaml"));
  ASSERT_EQ(equal.hosts.size(), 5u);
  for (const HostPlan& host : equal.hosts) EXPECT_DOUBLE_EQ(host.share, 0.2);
  const LabPlan unequal = read_lab(yaml::load(LOADSHARE_GRANULARITY "/unequal.yaml"));
  ASSERT_EQ(unequal.hosts.size(), 5u);
  for (std::size_t i = 0; i < 5; ++i) EXPECT_DOUBLE_EQ(unequal.hosts[i].share, i < 3 ? 0.1 : 0.3);
}

TEST(LabFile, AShareMayBeFree) {
  const LabPlan plan = read_lab(yaml::read(
      "schema: 1\nname: x\nhosts:\n  - {name: a, count: 2, share: free, link: 1mbit}\n", "f.yaml"));
  EXPECT_TRUE(plan.hosts[0].is_free() && plan.hosts[1].is_free());
  EXPECT_EQ(host_complaint("{name: a, share: 0, link: 1mbit}").substr(0, 27), "f.yaml:4:22: share is '0' (");
}

TEST(LabFile, RefusesMissingAndUnknownKeys) {
  EXPECT_EQ(plan_complaint("schema: 2\nname: x\nhosts: []\n"),
            "f.yaml:1:9: schema is 2 (this version reads schema 1)");
  EXPECT_EQ(plan_complaint("schema: 1\nname: x\nhosts: []\n"),
            "f.yaml:3:8: there are no hosts (a lab has at least one)");
  EXPECT_EQ(plan_complaint("schema: 1\nname: x\nhost: []\n"),
            "f.yaml:3:1: unknown key 'host' (valid: schema, name, period, turn, burst, hosts); did you mean "
            "'hosts'?");
  EXPECT_EQ(host_complaint("{name: a, share: 0.5, lnik: 1mbit}"),
            "f.yaml:4:27: unknown key 'lnik' (valid: name, count, share, link); did you mean 'link'?");
  EXPECT_EQ(host_complaint("{name: a, share: 0.5, share: 0.6, link: 1mbit}"),
            "f.yaml:4:27: the key 'share' is repeated (it is already in line 4); remove one of them");
}

TEST(LabFile, RefusesValuesWithTheirPlace) {
  EXPECT_EQ(plan_complaint("schema: 1\nname: x\nburst: 1s\nhosts: []\n"),
            "f.yaml:3:8: burst is '1s' (it must be from 0us to 100ms)");
  EXPECT_EQ(plan_complaint("schema: 1\nname: x\nturn: 10us\nhosts: []\n"),
            "f.yaml:3:7: turn is '10us' (it must be from 100us to 1s)");
  EXPECT_EQ(host_complaint("{name: a, share: 0.5, link: 100}"),
            "f.yaml:4:33: link is '100' (it must be a rate like 100mbit)");
  EXPECT_EQ(host_complaint("{name: a, share: 0.5, link: 1bit}"),
            "f.yaml:4:33: link is '1bit' (it must be from 10kbit to 100gbit)");
  EXPECT_EQ(
      host_complaint("{name: a, share: 0.05, link: 1mbit}"),
      "f.yaml:4:22: share is '0.05' (it must be at least 0.1, because the kernel grants at least 1 ms per "
      "period of 10 ms); increase the share, or the lab's `period:`");
  EXPECT_EQ(host_complaint("{name: a, count: 0, share: 0.5, link: 1mbit}"),
            "f.yaml:4:22: count is 0 (it must be at least 1)");
  EXPECT_EQ(plan_complaint("schema: 1\nname: x\nperiod: 2s\nhosts: []\n"),
            "f.yaml:3:9: period is '2s' (it must be from 1ms to 1s)");
}

TEST(LabFile, RefusesNamesThatAreNoHostsNames) {
  const std::string rest = ", share: 0.5, link: 1mbit}";
  EXPECT_EQ(host_complaint("{name: a_b" + rest),
            "f.yaml:4:12: name is 'a_b' (names consist of letters, digits and dashes, start with a letter "
            "and do not end with a dash)");
  EXPECT_EQ(host_complaint("{name: switch" + rest),
            "f.yaml:4:12: name is 'switch' (the lab itself uses this name)");
  EXPECT_EQ(plan_complaint("schema: 1\nname: ../x\nhosts: []\n"),
            "f.yaml:2:7: name is '../x' (names consist of letters, digits and dashes, start with a letter "
            "and do not end with a dash)");
  EXPECT_EQ(
      plan_complaint("schema: 1\nname: x\nhosts:\n  - {name: a, count: 2" + rest + "\n  - {name: a2" + rest),
      "f.yaml:5:12: two hosts are called 'a2' (names identify hosts); rename one");
  EXPECT_EQ(complaint([] { require_name("", "--name"); }),
            "--name is '' (names consist of letters, digits and dashes, start with a letter and do not end "
            "with a dash)");
}

}  // namespace
}  // namespace loadshare::lab
