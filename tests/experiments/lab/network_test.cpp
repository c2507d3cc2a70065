#include "experiments/lab/network.hpp"

#include <gtest/gtest.h>

#include "tests/experiments/lab/sample_lab.hpp"

namespace loadshare::lab {
namespace {

TEST(LinkRate, TakesTheLargestUnitThatFits) {
  EXPECT_EQ(link_rate_text(100'000'000), "100 Mbit/s");
  EXPECT_EQ(link_rate_text(2'500'000'000), "2.5 Gbit/s");
  EXPECT_EQ(link_rate_text(10'000), "10 kbit/s");
  EXPECT_EQ(link_rate_text(999), "999 bit/s");
}

TEST(NetworkScript, ASwitchWithACableToEachHost) {
  EXPECT_EQ(switch_links(sample_lab(), "/l"),
            "link set dev lo up\n"
            "link add name bridge type bridge stp_state 0 forward_delay 0 mcast_snooping 0\n"
            "address add 10.208.0.254/24 dev bridge\n"
            "link set dev bridge up\n"
            "link add name port1 type veth peer name eth0 netns /l/slow.host\n"
            "link set dev port1 up master bridge\n"
            "link add name port2 type veth peer name eth0 netns /l/fast.host\n"
            "link set dev port2 up master bridge\n");
  EXPECT_EQ(host_links(sample_lab(), 1),
            "link set dev lo up\naddress add 10.208.0.2/24 dev eth0\nlink set dev eth0 up\n");
}

TEST(NetworkScript, BothEndsOfACableHaveItsRate) {
  EXPECT_EQ(switch_rates(sample_lab()),
            "qdisc add dev port1 root tbf rate 10000000bit burst 16384b limit 524288b\n"
            "qdisc add dev port2 root tbf rate 100000000bit burst 25000b limit 524288b\n");
  EXPECT_EQ(host_rates(sample_lab(), 0),
            "qdisc add dev eth0 root tbf rate 10000000bit burst 16384b limit 524288b\n");
}

TEST(NetworkScript, ABurstIsWhatTheFileSaysOrTwoFrames) {
  LabState state = sample_lab();
  state.plan.burst_us = 1000;
  EXPECT_EQ(switch_rates(state),
            "qdisc add dev port1 root tbf rate 10000000bit burst 3036b limit 524288b\n"
            "qdisc add dev port2 root tbf rate 100000000bit burst 12500b limit 524288b\n");
}

TEST(NetworkScript, EveryHostKnowsTheOthersByName) {
  EXPECT_EQ(name_table(sample_lab()),
            "127.0.0.1 localhost\n10.208.0.254 switch\n10.208.0.1 slow\n10.208.0.2 fast\n");
}

TEST(NetworkScript, OneHostNameTableIsNotShared) {
  EXPECT_NE(namespace_file("/l", "switch"), switch_namespace_file("/l"));
  EXPECT_NE(namespace_file("/l", "hosts"), "/l/hosts");
}

}  // namespace
}  // namespace loadshare::lab
