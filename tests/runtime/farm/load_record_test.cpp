#include "runtime/farm/load_record.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace loadshare {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// A run of 4 s on one rank, whose worker got `worker_share` while a constant load was on.
RunRecord run_of(double worker_share) {
  RunRecord record;
  record.makespan_s = 4;
  record.ranks.resize(1);
  record.ranks[0].worker = WorkerId{0};
  ChunkRecord chunk;
  chunk.ended_s = 4;
  chunk.cpu_s = 4 * worker_share;
  record.chunks = {chunk};
  return record;
}

/// What a rank reports whose load was on for 4 s at a half and took so much processor time.
RankReport report_of(double cpu_s, double capacity = 1) {
  RankReport report;
  report.host = "node0";
  LoadReport load;
  load.capacity = capacity;
  load.measure = {
      .on_s = 4, .asked_s = 2, .cpu_s = cpu_s, .late_p99_s = 1e-3, .late_max_s = 2e-3, .cycles = 1};
  report.loads = {load};
  return report;
}

const LoadSpec& constant() {
  static const LoadSpec spec = parse_load_spec("constant");
  return spec;
}

TEST(LoadRecord, HoldsWhatWasAskedAndWhatCameOfIt) {
  RunRecord record = run_of(0.52);
  add_load(record, constant(), {report_of(1.96)});
  ASSERT_EQ(record.load->ranks.size(), 1u);
  const LoadedRank& rank = record.load->ranks[0];
  EXPECT_EQ(rank.host, "node0");
  EXPECT_EQ(rank.share_asked, 0.5);
  EXPECT_DOUBLE_EQ(rank.share_taken, 0.49);
  EXPECT_NEAR(rank.worker_share.value(), 0.52, 1e-12);
  ASSERT_EQ(rank.phases.size(), 1u);
  EXPECT_EQ(rank.phases[0].to_s, 4);
  EXPECT_THAT(record.notes, IsEmpty());
}

TEST(LoadRecord, SharesFivePointsOffAreNoted) {
  RunRecord record = run_of(0.44);
  add_load(record, constant(), {report_of(1.76)});
  EXPECT_THAT(
      record.notes,
      ElementsAre("the load of rank 0 took 44.0 % of its processor while on; 50.0 % was asked for",
                  "the worker of rank 0 got 44.0 % of its processor while its load was on; 50.0 % was asked "
                  "for"));
}

TEST(LoadRecord, SharesAreOfWhatALimitLeaves) {
  RunRecord record = run_of(0.05);
  add_load(record, constant(), {report_of(0.2, 0.1)});
  EXPECT_DOUBLE_EQ(record.load->ranks[0].share_taken, 0.5);
  EXPECT_NEAR(record.load->ranks[0].worker_share.value(), 0.5, 1e-12);
  EXPECT_THAT(record.notes, IsEmpty());
}

TEST(LoadRecord, WhoWasLateOrLostIsNoted) {
  RunRecord record = run_of(0.5);
  RankReport late = report_of(2), lost = report_of(2);
  late.loads[0].measure.late_p99_s = 8e-3;
  lost.loads[0].rank = 1;
  lost.loads[0].is_lost = true;
  add_load(record, constant(), {late, lost});
  EXPECT_EQ(record.load->ranks.size(), 1u);
  EXPECT_THAT(record.notes,
              ElementsAre("the load of rank 1 ended before the run did",
                          "the load of rank 0 came and went up to 8.00 ms late (99th percentile)"));
}

TEST(LoadRecord, OfThinnedTimingNoShareIsTold) {
  RunRecord record = run_of(0.2);
  record.is_thinned = true;
  add_load(record, constant(), {report_of(2)});
  EXPECT_FALSE(record.load->ranks[0].worker_share);
  EXPECT_THAT(record.notes, IsEmpty());
}

TEST(LoadRecord, ThatCameOnLateIsNoDivisionByZero) {
  RunRecord record = run_of(1);
  RankReport report = report_of(0);
  report.loads[0].measure = {};
  add_load(record, constant(), {report});
  EXPECT_EQ(record.load->ranks[0].share_asked, 0.5);
  EXPECT_EQ(record.load->ranks[0].share_taken, 0);
}

}  // namespace
}  // namespace loadshare
