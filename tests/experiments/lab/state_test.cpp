#include "experiments/lab/state.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/experiments/lab/sample_lab.hpp"
#include "tests/experiments/yaml/complaint.hpp"

namespace loadshare::lab {
namespace {

using testing::ElementsAre;
using Subnets = std::vector<Subnet>;

Subnet subnet(const char* text) {
  return parse_subnet(text).value();
}

TEST(Subnet, ReadsWhatItWrites) {
  EXPECT_EQ(subnet("10.208.1.0/24"), (Subnet{0x0ad00100, 24}));
  EXPECT_EQ(to_text(subnet("192.168.0.0/16")), "192.168.0.0/16");
  EXPECT_EQ(address_text(subnet("10.208.1.0/24"), 254), "10.208.1.254");
  for (const char* text :
       {"", "10.0.0.0", "10.0.0/24", "256.0.0.0/8", "10.0.0.0/33", "10.0.0.0/24 ", "a.b.c.d/8"})
    EXPECT_EQ(parse_subnet(text), std::nullopt) << text;
}

TEST(Subnet, OverlapsWhereTheShorterPrefixAgrees) {
  EXPECT_TRUE(overlap(subnet("10.0.0.0/8"), subnet("10.208.1.0/24")));
  EXPECT_FALSE(overlap(subnet("10.208.0.0/24"), subnet("10.208.1.0/24")));
  EXPECT_TRUE(overlap(subnet("10.208.1.7/32"), subnet("10.208.1.0/24")));
}

TEST(Subnet, TheKernelsTableWithoutTheDefaultRoute) {
  EXPECT_THAT(
      parse_routes("Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT\n"
                   "eth0\t00000000\t010200C0\t0003\t0\t0\t0\t00000000\t0\t0\t0\n"
                   "eth0\t000200C0\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0\n"
                   "tun0\t0000D00A\t00000000\t0001\t0\t0\t0\t0000FFFF\t0\t0\t0\n"),
      ElementsAre(subnet("192.0.2.0/24"), subnet("10.208.0.0/16")));
  EXPECT_THAT(parse_routes(""), ElementsAre());
}

TEST(Subnet, TheFirstFreeSubnetIsChosen) {
  EXPECT_EQ(free_subnet(Subnets{}), subnet("10.208.0.0/24"));
  EXPECT_EQ(free_subnet(Subnets{subnet("10.208.0.0/24"), subnet("10.208.2.0/24")}), subnet("10.208.1.0/24"));
  EXPECT_EQ(free_subnet(Subnets{subnet("10.208.0.0/16")}), subnet("10.209.0.0/24"));
  EXPECT_EQ(free_subnet(Subnets{subnet("10.0.0.0/8")}), std::nullopt);
}

using yaml::complaint;

TEST(State, SurvivesTheFile) {
  const LabState before = sample_lab();
  const LabState after = from_json(to_json(before), "state.json");
  EXPECT_EQ(after.plan, before.plan);
  EXPECT_EQ(after.file, before.file);
  EXPECT_EQ(after.is_up, before.is_up);
  EXPECT_EQ(after.users, before.users);
  EXPECT_EQ(after.subnet, before.subnet);
  EXPECT_EQ(after.groups.version, before.groups.version);
  EXPECT_EQ(after.groups.folder, before.groups.folder);
  EXPECT_EQ(to_json(after), to_json(before));
}

TEST(State, KnowsTheLinksBurst) {
  LabState state = sample_lab();
  state.plan.burst_us = 250;
  EXPECT_EQ(from_json(to_json(state), "").plan, state.plan);
}

TEST(State, SharesComeBackToTheLastDigit) {
  LabState state = sample_lab();
  state.plan.hosts[0].share = 1.0 / 3;
  EXPECT_EQ(from_json(to_json(state), "").plan, state.plan);
}

TEST(State, FindsHostsByName) {
  EXPECT_EQ(sample_lab().host("fast"), 1u);
  EXPECT_EQ(complaint([] { sample_lab().host("fats"); }),
            "unknown host 'fats' (valid: slow, fast); did you mean 'fast'?");
}

TEST(State, ADamagedStateNamesItsFile) {
  try {
    from_json("{}", "/run/x/state.json");
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::StartsWith("/run/x/state.json is not the state of a lab ("));
  }
}

}  // namespace
}  // namespace loadshare::lab
