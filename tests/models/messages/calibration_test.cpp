#include "models/messages/calibration.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace loadshare::calibration {
namespace {

using communication::ReceivePosted;
using communication::SendMode;

Launch launch_on(std::vector<std::string> hosts) {
  Launch launch;
  for (std::string& host : hosts)
    launch.ranks.push_back({static_cast<int>(launch.ranks.size()), std::move(host), {0}});
  return launch;
}

Calibration of_three_ranks() {
  Calibration calibration;
  calibration.launches = {launch_on({"n1", "n2", "n1"})};
  calibration.messages = {
      {0, 0, 2, SendMode::buffered, ReceivePosted::after, 8, {{1e-6, 2e-6, false}, {3e-6, 4e-6, false}}},
      {0, 0, 1, SendMode::standard, ReceivePosted::after, 64, {{5e-6, 6e-6, true}}},
      {0, 0, 2, SendMode::standard, ReceivePosted::before, 0, {{7e-6, 8e-6, false}}}};
  return calibration;
}

TEST(Calibration, KnowsItsPairs) {
  EXPECT_THAT(pairs_of(of_three_ranks()), testing::ElementsAre(Pair{0, 1}, Pair{0, 2}));
}

TEST(Calibration, PassesAPairsMessagesToAFit) {
  const auto samples = samples_of(of_three_ranks(), {0, 2});
  ASSERT_EQ(samples.size(), 3u);
  EXPECT_EQ(samples[1].mode, SendMode::buffered);
  EXPECT_EQ(samples[1].posted, ReceivePosted::after);
  EXPECT_EQ(samples[1].bytes, 8);
  EXPECT_EQ(samples[1].sender_s, 3e-6);
  EXPECT_EQ(samples[1].receiver_s, 4e-6);
  EXPECT_EQ(samples[2].bytes, 0);
  EXPECT_TRUE(samples_of(of_three_ranks(), {0, 1}).front().has_waited);
}

TEST(Calibration, PassesTheLaunchOfAMessageToAFit) {
  Calibration calibration = of_three_ranks();
  calibration.launches.push_back(calibration.launches.front());
  calibration.messages[2].launch = 1;
  const auto samples = samples_of(calibration, {0, 2});
  EXPECT_EQ(samples[0].launch, 0u);
  EXPECT_EQ(samples[2].launch, 1u);
}

TEST(Calibration, DistinguishesOneHostFromTwo) {
  EXPECT_FALSE(share_host(of_three_ranks(), {0, 1}));
  EXPECT_TRUE(share_host(of_three_ranks(), {0, 2}));
}

TEST(Calibration, NamesTheDifferencesOfHosts) {
  EXPECT_EQ(host_difference(launch_on({"n1", "n2"}), launch_on({"n1", "n2"})), "");
  EXPECT_EQ(host_difference(launch_on({"n1", "n2"}), launch_on({"n1", "n3"})),
            "rank 1 is on n3, and was on n2");
  EXPECT_EQ(host_difference(launch_on({"n1", "n2"}), launch_on({"n1"})), "the ranks are 1, and were 2");
}

TEST(Calibration, PassesCollectiveCallsToAFit) {
  Calibration calibration;
  calibration.launches = {launch_on({"n1", "n2", "n3"}), launch_on({"n1", "n2", "n3"})};
  calibration.collectives = {{0, "barrier", 2, 0, {1e-6}}, {1, "alltoall", 3, 64, {2e-6, 3e-6}}};
  const auto samples = collective_samples_of(calibration, Spread::a_host_each);
  ASSERT_EQ(samples.size(), 3U);
  EXPECT_EQ(samples[0].call, "barrier");
  EXPECT_EQ(samples[2].members, 3);
  EXPECT_EQ(samples[2].bytes, 64);
  EXPECT_EQ(samples[2].seconds, 3e-6);
  EXPECT_EQ(samples[2].launch, 1U);
}

TEST(Calibration, SeparatesCallsInsideAHostFromOthers) {
  Calibration calibration;
  calibration.launches = {launch_on({"n1", "n1", "n2", "n2"})};
  calibration.collectives = {{0, "barrier", 2, 0, {1e-6}}, {0, "barrier", 4, 0, {2e-6}}};
  EXPECT_TRUE(collective_samples_of(calibration, Spread::a_host_each).empty()) << "two ranks a host";
  const auto inside = collective_samples_of(calibration, Spread::one_host);
  ASSERT_EQ(inside.size(), 1U);
  EXPECT_EQ(inside[0].members, 2);
}

TEST(Calibration, CountsAChunksOperations) {
  EXPECT_EQ((ChunkSeries{0, 0, "packed", 10, 3, {1e-6}}).operations(), 600);
}

struct Ways : testing::Test {
  static Launch launch() {
    Launch launch;
    launch.ranks = {{0, "n1", {0}}, {1, "n1", {1}}};
    launch.transport = {{"btl_tcp_eager_limit", "65536"}};
    launch.versions = {{"mpi", "Open MPI 4.1.4"}, {"system", "Linux 6.1"}};
    return launch;
  }

  Launch before = launch();
  Launch now = before;
};

TEST_F(Ways, AreTheSameOnOtherProcessorsAndAtAnotherTime) {
  now.ranks[1].cpus = {2};
  now.begun = "2026-01-31T12:00:00Z";
  now.versions["system"] = "Linux 6.2";
  EXPECT_EQ(ways_difference(before, now), "");
}

TEST_F(Ways, DifferByASetting) {
  now.transport["btl"] = "tcp,self";
  EXPECT_EQ(ways_difference(before, now), "btl is 'tcp,self', and was not set");
  EXPECT_EQ(ways_difference(now, before), "btl is not set, and was 'tcp,self'");
  now = before;
  now.transport["btl_tcp_eager_limit"] = "1024";
  EXPECT_EQ(ways_difference(before, now), "btl_tcp_eager_limit is '1024', and was '65536'");
}

TEST_F(Ways, DifferByTheVersionOfMpi) {
  now.versions["mpi"] = "Open MPI 5.0.0";
  EXPECT_EQ(ways_difference(before, now), "mpi is 'Open MPI 5.0.0', and was 'Open MPI 4.1.4'");
}

TEST_F(Ways, DifferByTheBindingOfRanks) {
  now.ranks[1].cpus = {0};
  EXPECT_EQ(ways_difference(before, now), "rank 1 has 1 processor, those of rank 0, and had 1 processor");
  now.ranks[0].cpus = now.ranks[1].cpus = {0, 1};
  EXPECT_EQ(ways_difference(before, now), "rank 0 has 2 processors, and had 1 processor");
}

TEST_F(Ways, AreDerivedFromTheSetupOfARun) {
  EXPECT_EQ(setup_difference(before, setup_of(before)), "");
  MpiSetup run = setup_of(before);
  run["btl_tcp_eager_limit"] = "1024";
  EXPECT_EQ(setup_difference(before, run), "btl_tcp_eager_limit is '1024', and was '65536'");
  run.erase("btl_tcp_eager_limit");
  EXPECT_EQ(setup_difference(before, run), "") << "it asked for nothing else";
  run = setup_of(before);
  run["mpi"] = "Open MPI 5.0.0";
  EXPECT_EQ(setup_difference(before, run), "mpi is 'Open MPI 5.0.0', and was 'Open MPI 4.1.4'");
}

TEST_F(Ways, RequestedSubnetsAreInterfacesInMpi) {
  before.transport["btl_tcp_if_include"] = "eth0";
  MpiSetup run = setup_of(before);
  run["btl_tcp_if_include"] = "10.0.0.0/24";
  EXPECT_EQ(setup_difference(before, run), "");
  run["btl_tcp_if_include"] = "eth1";
  EXPECT_EQ(setup_difference(before, run), "btl_tcp_if_include is 'eth1', and was 'eth0'");
}

TEST_F(Ways, DefaultsDifferFromRequestedSettings) {
  const MpiSetup run{{"mpi", "Open MPI 4.1.4"}};
  before.transport["btl"] = "self,tcp";
  EXPECT_EQ(setup_difference(before, run), "") << "it is not known who set that";
  before.asked_for = MpiSetup{{"btl", "self,tcp"}};
  EXPECT_EQ(setup_difference(before, run), "btl is not set, and was 'self,tcp'");
  before.asked_for = MpiSetup{{"btl_tcp_eager_limit", "65536"}};
  EXPECT_EQ(setup_difference(before, run), "btl_tcp_eager_limit is not set, and was '65536'");
  before.asked_for = MpiSetup();
  EXPECT_EQ(setup_difference(before, run), "") << "neither asked for anything";
}

TEST_F(Ways, RequestedSettingsAreComparedWithEffectiveOnes) {
  before.asked_for = MpiSetup{{"btl_tcp_if_include", "10.0.0.0/24"}};
  before.transport["btl_tcp_if_include"] = "eth0";
  MpiSetup run{{"btl_tcp_if_include", "10.0.0.0/24"}};
  EXPECT_EQ(setup_difference(before, run), "") << "whatever MPI made of it";
  run["btl_tcp_if_include"] = "10.7.0.0/24";
  EXPECT_EQ(setup_difference(before, run), "btl_tcp_if_include is '10.7.0.0/24', and was '10.0.0.0/24'");
  run = {{"btl", "self,tcp"}, {"btl_tcp_if_include", "10.0.0.0/24"}};
  EXPECT_EQ(setup_difference(before, run), "btl is 'self,tcp', and was not set");
  before.transport["btl"] = "self,tcp";
  EXPECT_EQ(setup_difference(before, run), "") << "MPI's own file may set it";
}

TEST_F(Ways, OneSubnetDiffersFromAllInterfaces) {
  EXPECT_EQ(setup_difference(before, {{"btl_tcp_if_include", "10.0.0.0/24"}}),
            "btl_tcp_if_include is '10.0.0.0/24', and was not set");
}

TEST_F(Ways, AreNamedByTheirDifferences) {
  const MpiSetup own = setup_of(before);
  const MpiSetup tcp{{"btl", "self,tcp"}};
  const std::vector<RunPlace> runs{
      {"a", {"n1", "n1"}, own}, {"b", {"n1", "n1"}, tcp}, {"c", {"n1", "n3"}, tcp}, {"d", {"n1", "n1"}, {}}};
  EXPECT_THAT(notes_on_setup(before, runs, "they may take longer"),
              testing::ElementsAre("c ran on n3, the calibration is of n1: they may take longer",
                                   "MPI was configured differently for b, c than for the calibration: btl is "
                                   "'self,tcp', and was not set; they may take longer"));
  EXPECT_THAT(notes_on_setup(before, std::vector(1, runs[0]), "they may take longer"), testing::IsEmpty());
  EXPECT_THAT(with_shared_hosts(runs), testing::ElementsAre("a", "b", "d"));
}

TEST_F(Ways, HostsOfTheSameNameDifferByTheirNetwork) {
  before.ranks[1].host = now.ranks[1].host = "n2";
  before.transport["network"] = "10.0.0.0/24";
  EXPECT_EQ(ways_difference(before, now), "") << "which an older file does not tell";
  now.transport["network"] = "192.168.7.0/24";
  const std::string difference = "network is '192.168.7.0/24', and was '10.0.0.0/24'";
  EXPECT_EQ(ways_difference(before, now), difference);
  EXPECT_EQ(setup_difference(before, setup_of(now)), difference);
  before.ranks[1].host = now.ranks[1].host = "n1";
  EXPECT_EQ(ways_difference(before, now), "") << "on one host";
}

TEST(Calibration, KnowsGapsAndCallsWithARoot) {
  Calibration calibration;
  calibration.launches.resize(1);
  calibration.launches[0].ranks = {{0, "n1", {}}, {1, "n2", {}}, {2, "n2", {}}};
  calibration.bursts = {{0, 0, 1, 64, 11, {1e-5, 2e-5}}, {0, 0, 2, 64, 11, {5e-5}}};
  const auto gaps = gaps_of(calibration, {0, 1});
  ASSERT_EQ(gaps.size(), 2U);
  EXPECT_DOUBLE_EQ(gaps[1].seconds, 2e-6) << "eleven messages are ten apart";
  calibration.rooted_calls = {{0, "bcast", 2, 8, {{0, 1}, {2, 0}}, {{1, 2}, {3, 3}}},
                              {0, "bcast", 3, 8, {{0, 1, 2}}, {{1, 2, 3}}}};
  const auto calls = rooted_samples_of(calibration, Spread::a_host_each);
  ASSERT_EQ(calls.size(), 2U) << "three ranks are on two hosts";
  EXPECT_EQ(calls[1].begun_s, (std::vector<double>{2, 0}));
  EXPECT_EQ(rooted_samples_of(calibration).size(), 3U);
}

}  // namespace
}  // namespace loadshare::calibration
