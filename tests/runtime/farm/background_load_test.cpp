#include "runtime/farm/background_load.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace loadshare {
namespace {

ChunkRecord chunk(double begun_s, double ended_s, double cpu_s, std::uint32_t worker = 0) {
  ChunkRecord record;
  record.worker = WorkerId{worker};
  record.begun_s = begun_s;
  record.ended_s = ended_s;
  record.cpu_s = cpu_s;
  return record;
}

/// The chunks of a worker that gets `share` of `capacity` under load, all of it otherwise.
std::vector<ChunkRecord> chunks_of(const LoadPlan& plan, double share, double capacity) {
  std::vector<ChunkRecord> chunks;
  for (double at_s = 0; at_s < 5; at_s += 0.3) {
    const double on_s = plan.dose(at_s, at_s + 0.3).on_s;
    chunks.push_back(chunk(at_s, at_s + 0.3, capacity * (0.3 - on_s + share * on_s)));
  }
  return chunks;
}

TEST(WorkerShare, IsFoundInChunksThatAreUnderLoadInPart) {
  const LoadPlan plan = LoadPlan::on_off(1, 1, 0.5, 0.4);
  for (const double capacity : {1.0, 0.1})
    for (const double share : {0.5, 0.38})
      EXPECT_NEAR(worker_share(plan, capacity, WorkerId{0}, chunks_of(plan, share, capacity)).value(), share,
                  1e-9);
}

TEST(WorkerShare, WhatOthersTakeAllTheTimeIsNotTheLoads) {
  const LoadPlan plan = LoadPlan::on_off(1, 1, 0.5, 0);
  const std::vector<ChunkRecord> chunks{chunk(0, 0.9, 0.36), chunk(0.9, 1.1, 0.12), chunk(1.1, 1.9, 0.64)};
  EXPECT_NEAR(worker_share(plan, 1, WorkerId{0}, chunks).value(), 0.4, 1e-9);
}

TEST(WorkerShare, UnderALimitTheTimeBetweenChunksCountsAndTheShareIsOfWhatThereIsWithoutTheLoad) {
  const LoadPlan plan = LoadPlan::on_off(1, 1, 0.5, 0);
  const std::vector<ChunkRecord> chunks{chunk(0, 0.3, 0.07), chunk(0.5, 0.7, 0.08), chunk(1, 1.3, 0.15),
                                        chunk(1.5, 2, 0.15)};
  EXPECT_NEAR(worker_share(plan, 0.3, WorkerId{0}, chunks).value(), 0.5, 1e-9);
}

TEST(WorkerShare, IsUnknownWhereItWouldBeLessThanNothing) {
  const LoadPlan plan = LoadPlan::on_off(1, 1, 0.5, 0);
  EXPECT_EQ(worker_share(plan, 1, WorkerId{0}, std::vector{chunk(0.5, 1.5, 0.3)}), std::nullopt);
}

TEST(WorkerShare, OtherWorkersChunksDoNotCount) {
  const LoadPlan plan = LoadPlan::constant(0.5);
  const std::vector<ChunkRecord> chunks{chunk(0, 1, 0.4), chunk(0, 1, 0.9, 1)};
  EXPECT_NEAR(worker_share(plan, 1, WorkerId{0}, chunks).value(), 0.4, 1e-12);
  EXPECT_NEAR(worker_share(plan, 1, WorkerId{1}, chunks).value(), 0.9, 1e-12);
}

TEST(WorkerShare, OfTooLittleTimeUnderLoadNothingIsSaid) {
  const LoadPlan plan = LoadPlan::on_off(1, 1, 0.5, 1.2);  // comes on at 0.8 s
  EXPECT_EQ(worker_share(plan, 1, WorkerId{0}, std::vector{chunk(0, 0.84, 0.8)}), std::nullopt);
  EXPECT_NE(worker_share(plan, 1, WorkerId{0}, std::vector{chunk(0, 0.86, 0.8)}), std::nullopt);
  EXPECT_EQ(worker_share(plan, 1, WorkerId{0}, {}), std::nullopt);
}

TEST(WorkerShare, OfATraceItIsTheMean) {
  const LoadPlan plan = LoadPlan::trace({{0, 0.25}, {1, 0.75}});
  const std::vector<ChunkRecord> chunks{chunk(0, 1, 0.75), chunk(1, 2, 0.25)};
  EXPECT_NEAR(worker_share(plan, 1, WorkerId{0}, chunks).value(), 0.5, 1e-12);
}

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
      ElementsAre(
          "the load on rank 0 took 44.0 % of the processor while it was on, instead of the requested 50.0 %",
          "the worker of rank 0 got 44.0 % of the processor while its load was on, instead of the intended "
          "50.0 %"));
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
              ElementsAre("the load process of rank 1 ended before the run",
                          "the load on rank 0 began and ended up to 8.00 ms late (99th percentile)"));
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
