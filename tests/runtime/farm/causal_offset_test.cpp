#include "runtime/farm/causal_offset.hpp"

#include <gtest/gtest.h>

namespace loadshare {
namespace {

// A worker whose clock is 10 s ahead, and a message that takes 1 s each way.
const std::vector<ChunkRecord> two_workers_chunks{{.chunk = {0, 1},
                                                   .worker = WorkerId{1},
                                                   .assigned_s = 0,
                                                   .received_s = 11,
                                                   .begun_s = 11,
                                                   .ended_s = 15,
                                                   .returned_s = 6},
                                                  {.chunk = {1, 1},
                                                   .worker = WorkerId{0},
                                                   .assigned_s = 0,
                                                   .received_s = 0,
                                                   .begun_s = 0,
                                                   .ended_s = 1,
                                                   .returned_s = 100}};

TEST(CausalOffset, KeepsAnEstimateThatCanBe) {
  EXPECT_EQ(causal_offset_s(10.25, two_workers_chunks, WorkerId{1}), 10.25);
}

TEST(CausalOffset, BoundsOneThatCannot) {
  EXPECT_EQ(causal_offset_s(8, two_workers_chunks, WorkerId{1}), 9)
      << "the result would return before it ended";
  EXPECT_EQ(causal_offset_s(12, two_workers_chunks, WorkerId{1}), 11)
      << "the chunk would be there before it was assigned";
}

TEST(CausalOffset, KeepsTheEstimateWithoutChunks) {
  EXPECT_EQ(causal_offset_s(3, two_workers_chunks, WorkerId{7}), 3);
}

}  // namespace
}  // namespace loadshare
