#include "runtime/load/worker_share.hpp"

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

}  // namespace
}  // namespace loadshare
