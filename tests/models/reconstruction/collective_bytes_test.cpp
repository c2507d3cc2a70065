#include "models/reconstruction/collective_bytes.hpp"

#include <gtest/gtest.h>

#include "models/timing_graph/collectives/table.hpp"

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
  EXPECT_EQ(collective_bytes("reduce_scatter", {500, ranks, false}), 100);
  EXPECT_EQ(collective_bytes("reduce_scatter_block", {500, ranks, false}), 100);
  EXPECT_EQ(collective_bytes("barrier", {0, ranks, false}), 0);
}

/// Of four ranks and pieces, vectors or messages of 100 bytes: what this rank puts in and gets out of a call
/// whose size has that meaning to timing graphs.
double told_of(const timing_graph::collectives::Kind& kind) {
  constexpr double ranks = 4;
  constexpr double size = 100;
  const bool goes_in_and_comes_out = kind.name != "bcast";
  switch (kind.bytes_of) {
    case timing_graph::collectives::BytesOf::nothing:
      return 0;
    case timing_graph::collectives::BytesOf::message:
      return goes_in_and_comes_out ? 2 * size : size;
    case timing_graph::collectives::BytesOf::equal_block:
    case timing_graph::collectives::BytesOf::own_block:
      return kind.name == "alltoall" ? 2 * ranks * size : (ranks + 1) * size;
    case timing_graph::collectives::BytesOf::pair:
      return 2 * ranks * size;
  }
  return 0;
}

TEST(CollectiveBytesTest, AreWhatTimingGraphsMeanByThem) {
  for (const timing_graph::collectives::Kind& kind : timing_graph::collectives::collective_table())
    EXPECT_EQ(collective_bytes(kind.name, {told_of(kind), 4, true}), kind.name == "barrier" ? 0 : 100)
        << kind.name;
}

}  // namespace
}  // namespace loadshare::reconstruction
