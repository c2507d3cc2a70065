#include "models/reconstruction/collective_bytes.hpp"

#include <gtest/gtest.h>

namespace loadshare::reconstruction {
namespace {

TEST(CollectiveNameTest, IsThatOfTheBlockingCall) {
  EXPECT_EQ(collective_name("MPI_Allreduce"), "allreduce");
  EXPECT_EQ(collective_name("MPI_Iallreduce"), "allreduce");
  EXPECT_EQ(collective_name("MPI_Ibcast"), "bcast");
  EXPECT_EQ(collective_name("MPI_Comm_dup"), std::nullopt);
}

// Four ranks; each piece has 100 bytes. What a profile tells is what was put in plus what was got out.
TEST(CollectiveBytesTest, AreWhatTheCallsOwnArgumentsSay) {
  constexpr double ranks = 4;
  EXPECT_EQ(collective_bytes("bcast", {100, ranks, false}), 100);
  EXPECT_EQ(collective_bytes("allreduce", {200, ranks, false}), 100);
  EXPECT_EQ(collective_bytes("reduce", {200, ranks, true}), 100);
  EXPECT_EQ(collective_bytes("reduce", {100, ranks, false}), 100);
  EXPECT_EQ(collective_bytes("gather", {500, ranks, true}), 100);
  EXPECT_EQ(collective_bytes("gather", {100, ranks, false}), 100);
  EXPECT_EQ(collective_bytes("scatterv", {500, ranks, true}), 100);
  EXPECT_EQ(collective_bytes("allgather", {500, ranks, false}), 100);
  EXPECT_EQ(collective_bytes("alltoall", {800, ranks, false}), 100);
  EXPECT_EQ(collective_bytes("alltoallv", {800, ranks, false}), 100);
  EXPECT_EQ(collective_bytes("reduce_scatter", {500, ranks, false}), 400);
  EXPECT_EQ(collective_bytes("barrier", {0, ranks, false}), 0);
}

}  // namespace
}  // namespace loadshare::reconstruction
