#include "models/calibration/ways_difference.hpp"

#include <gtest/gtest.h>

namespace loadshare::calibration {
namespace {

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

TEST_F(Ways, DifferByWhatRanksAreBoundTo) {
  now.ranks[1].cpus = {0};
  EXPECT_EQ(ways_difference(before, now), "rank 1 has 1 processor, those of rank 0, and had 1 processor");
  now.ranks[0].cpus = now.ranks[1].cpus = {0, 1};
  EXPECT_EQ(ways_difference(before, now), "rank 0 has 2 processors, and had 1 processor");
}

}  // namespace
}  // namespace loadshare::calibration
