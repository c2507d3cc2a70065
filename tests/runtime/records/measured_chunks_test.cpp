#include "runtime/records/measured_chunks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace loadshare {
namespace {

// A worker whose clock is 10 s ahead; a message takes 1 s each way.
constexpr ChunkRecord ahead{.chunk = {0, 1},
                            .worker = WorkerId{1},
                            .assigned_s = 0,
                            .received_s = 11,
                            .begun_s = 11,
                            .ended_s = 15,
                            .returned_s = 6};

TEST(ClockBounds, KeepAPossibleEstimate) {
  ClockBounds bounds;
  bounds.add(ahead);
  EXPECT_EQ(bounds.corrected(10.25), 10.25);
}

TEST(ClockBounds, CorrectAnImpossibleEstimate) {
  ClockBounds bounds;
  bounds.add(ahead);
  EXPECT_EQ(bounds.corrected(8), 9) << "the result would return before it ended";
  EXPECT_EQ(bounds.corrected(12), 11) << "the chunk would be there before it was assigned";
}

TEST(ClockBounds, KeepTheEstimateWithoutChunks) {
  EXPECT_EQ(ClockBounds().corrected(3), 3);
}

/// Returns the worker's chunk of iteration `i`, which takes 2 s from second `i` on: half of it computing, a
/// quarter waiting.
ChunkRecord second_chunk(Index i, std::uint32_t worker) {
  const auto at_s = static_cast<double>(i);
  return {.chunk = {i, 1},
          .worker = WorkerId{worker},
          .assigned_s = at_s,
          .received_s = at_s,
          .begun_s = at_s,
          .ended_s = at_s + 2,
          .returned_s = at_s + 2,
          .cpu_s = 1,
          .waited_s = 0.5};
}

/// The work of an iteration is its number.
MeasuredChunks listing_at_most(std::size_t most) {
  return MeasuredChunks([](Chunk chunk) { return static_cast<double>(chunk.first); }, most);
}

TEST(MeasuredChunks, AreAllListedIfFew) {
  MeasuredChunks chunks = listing_at_most(100);
  for (Index i = 0; i < 99; ++i) chunks.add(second_chunk(i, i % 2 == 0 ? 0 : 1));
  EXPECT_EQ(chunks.listed().size(), 99);
  EXPECT_EQ(chunks.timed(), 99);
  EXPECT_EQ(chunks.of(WorkerId{0}).unlisted_work, 0);
}

TEST(MeasuredChunks, AreListedUpToTheLimit) {
  MeasuredChunks chunks = listing_at_most(100);
  std::size_t longest = 0;
  for (Index i = 0; i < 10'000; ++i) {
    chunks.add(second_chunk(i, 0));
    longest = std::max(longest, chunks.listed().size());
  }
  EXPECT_LT(longest, 100);
  EXPECT_GT(chunks.listed().size(), 30);
  EXPECT_EQ(chunks.timed(), 10'000);
}

TEST(MeasuredChunks, HaveSumsOverAllChunks) {
  MeasuredChunks chunks = listing_at_most(100);
  double work = 0;
  for (Index i = 0; i < 10'000; ++i) chunks.add(second_chunk(i, 0)), work += static_cast<double>(i);
  const WorkerChunks& of = chunks.of(WorkerId{0});
  EXPECT_EQ(of.all.chunks, 10'000);
  EXPECT_EQ(of.all.wall_s, 20'000);
  EXPECT_EQ(of.all.cpu_s, 10'000);
  EXPECT_EQ(of.all.waited_s, 5'000);
  EXPECT_EQ(of.all.stolen_s, 5'000);
  EXPECT_EQ(of.last_return_s, 10'001);
  for (const ChunkRecord& chunk : chunks.listed()) work -= static_cast<double>(chunk.chunk.first);
  EXPECT_EQ(of.unlisted_work, work);
}

// Two workers, one with twice as many chunks as the other: the lists have the same ratio, in order, from the
// beginning to the end of the run.
TEST(MeasuredChunks, AreListedEvenlyOverTheRun) {
  MeasuredChunks chunks = listing_at_most(1000);
  constexpr Index all = 30'000;
  for (Index i = 0; i < all; ++i) chunks.add(second_chunk(i, i % 3 == 0 ? 0 : 1));
  std::map<std::uint32_t, std::vector<Index>> listed;
  for (const ChunkRecord& chunk : chunks.listed())
    listed[to_number(chunk.worker)].push_back(chunk.chunk.first);
  EXPECT_EQ(listed[0].front(), 0) << "the first stays";
  EXPECT_EQ(listed[1].front(), 1);
  EXPECT_NEAR(static_cast<double>(listed[1].size()), 2 * static_cast<double>(listed[0].size()),
              0.2 * static_cast<double>(listed[1].size()));
  for (const auto& [worker, own] : listed) {
    EXPECT_TRUE(std::ranges::is_sorted(own));
    double sum = 0;
    for (const Index i : own) sum += static_cast<double>(i);
    EXPECT_NEAR(sum / static_cast<double>(own.size()), all / 2.0, 0.03 * all);
  }
}

// If every second iteration is expensive, half of the listed ones are.
TEST(MeasuredChunks, AreRepresentativeOfPeriodicIterations) {
  MeasuredChunks chunks = listing_at_most(1000);
  for (Index i = 0; i < 64'000; ++i) chunks.add(second_chunk(i, 0));
  const auto even = std::ranges::count_if(
      chunks.listed(), [](const ChunkRecord& chunk) { return chunk.chunk.first % 2 == 0; });
  EXPECT_NEAR(static_cast<double>(even) / static_cast<double>(chunks.listed().size()), 0.5, 0.1);
}

TEST(MeasuredChunks, KeepSomeChunksOfEachWorker) {
  MeasuredChunks chunks = listing_at_most(100);
  for (Index i = 0; i < 40'000; ++i) chunks.add(second_chunk(i, static_cast<std::uint32_t>(i % 1000)));
  std::map<std::uint32_t, int> listed;
  for (const ChunkRecord& chunk : chunks.listed()) ++listed[to_number(chunk.worker)];
  EXPECT_EQ(listed.size(), 1000);
  EXPECT_LT(chunks.listed().size(), MeasuredChunks::least_each * 1000);
}

TEST(MeasuredChunks, KeepTheSumsFromBeforeAWorkerRejoined) {
  MeasuredChunks chunks = listing_at_most(10);
  chunks.joined(WorkerId{1});
  for (Index i = 0; i < 50; ++i) chunks.add(second_chunk(i, 1));
  chunks.joined(WorkerId{1});
  chunks.add(second_chunk(50, 1));
  EXPECT_EQ(chunks.of(WorkerId{1}).before_last_joining.chunks, 50);
  EXPECT_EQ(chunks.of(WorkerId{1}).all.chunks, 51);
  EXPECT_EQ(chunks.of(WorkerId{7}).all.chunks, 0);
}

}  // namespace
}  // namespace loadshare
