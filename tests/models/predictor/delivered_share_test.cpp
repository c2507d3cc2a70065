#include "models/predictor/delivered_share.hpp"

#include <gmock/gmock.h>

#include <vector>

namespace loadshare::predictor {
namespace {

/// Chunks of 10 to 120 ms of processor time on a host of that share, each with a turn for nothing.
RunRecord run_at(double share, double delivered) {
  RunRecord run;
  run.shared_input_s = 0.5;
  RankRecord rank;
  rank.capacity = share;
  rank.worker = WorkerId{0};
  run.ranks.push_back(rank);
  for (int i = 1; i <= 12; ++i) {
    const double cpu_s = 0.01 * i;
    ChunkRecord chunk;
    chunk.begun_s = 1;
    chunk.ended_s = 1 + cpu_s / (share * delivered) - 0.02;
    chunk.cpu_s = cpu_s;
    run.chunks.push_back(chunk);
  }
  return run;
}

TEST(DeliveredShareTest, IsASlope) {
  const std::vector<RunRecord> runs{run_at(0.1, 0.95), run_at(0.3, 0.9)};
  const auto delivered = delivered_shares(runs);
  EXPECT_NEAR(delivered.at(0.1), 0.95, 1e-9);
  EXPECT_NEAR(delivered.at(0.3), 0.9, 1e-9);
}

TEST(DeliveredShareTest, PassesOverWhatTellsNothing) {
  RunRecord loaded = run_at(0.1, 0.95);
  loaded.load.emplace();
  RunRecord waiting = run_at(0.2, 0.95);
  waiting.shared_input_s = 2;
  RunRecord alike = run_at(0.3, 0.95);
  for (ChunkRecord& chunk : alike.chunks) chunk.cpu_s = 0.01;
  RunRecord whole = run_at(1, 0.95);
  RunRecord masters = run_at(0.4, 0.95);
  masters.ranks[0].role = Role::working_master;
  const std::vector<RunRecord> runs{loaded, waiting, alike, whole, masters};
  EXPECT_THAT(delivered_shares(runs), testing::IsEmpty());
}

}  // namespace
}  // namespace loadshare::predictor
