#include "runtime/farm/stays.hpp"

#include <gtest/gtest.h>

namespace loadshare {
namespace {

using What = MemberEvent::What;

constexpr double makespan_s = 10;

MemberEvent stays_event(double at_s, What what, std::uint32_t worker = 1) {
  return {.at_s = at_s, .what = what, .worker = WorkerId{worker}};
}

/// It took 2 s, of which it waited for half a second and had the processor for one.
ChunkRecord stays_chunk(double returned_s, std::uint32_t worker = 1) {
  ChunkRecord chunk;
  chunk.worker = WorkerId{worker};
  chunk.begun_s = returned_s - 2;
  chunk.ended_s = chunk.returned_s = returned_s;
  chunk.waited_s = 0.5;
  chunk.cpu_s = 1;
  return chunk;
}

/// What is known of worker 1 after these events and chunks.
WorkerChunks stays_chunks(std::vector<ChunkRecord> chunks, const std::vector<MemberEvent>& events) {
  MeasuredChunks measured;
  const auto take_until = [&](double at_s) {
    while (!chunks.empty() && chunks.front().returned_s <= at_s) {
      measured.add(chunks.front());
      chunks.erase(chunks.begin());
    }
  };
  for (const MemberEvent& event : events) {
    if (event.what != What::joined || event.worker != WorkerId{1}) continue;
    take_until(event.at_s);
    measured.joined(event.worker);
  }
  take_until(makespan_s);
  return measured.of(WorkerId{1});
}

void fill_stays(RankRecord& row, Accounted accounted, const std::vector<ChunkRecord>& chunks,
                const std::vector<MemberEvent>& events) {
  fill_stays(row, accounted, stays_chunks(chunks, events), events, makespan_s);
}

RankRecord stays_row(Index chunks) {
  RankRecord row;
  row.worker = WorkerId{1};
  row.chunks = chunks;
  return row;
}

TEST(Stays, OfWhoLeftEndThenAndHaveTheTimesOfItsChunks) {
  RankRecord row = stays_row(2);
  fill_stays(row, Accounted::not_at_all, {stays_chunk(3), stays_chunk(4, 0), stays_chunk(6)},
             {stays_event(1, What::joined), stays_event(0, What::joined, 0), stays_event(5, What::drained),
              stays_event(7, What::left)});
  EXPECT_EQ(row.computing_s, 2);
  EXPECT_EQ(row.communicating_s, 1);
  EXPECT_EQ(row.stolen_s, 1);
  EXPECT_EQ(row.idle_s, 2) << "6 s there, 4 of them with chunks";
  EXPECT_EQ(row.away_s, 4);
  EXPECT_EQ(row.unaccounted_s, 0);
}

TEST(Stays, AreNotKnownWhereChunksWereNotTimed) {
  RankRecord row = stays_row(3);
  fill_stays(row, Accounted::not_at_all, {stays_chunk(3), stays_chunk(6)},
             {stays_event(0, What::joined), stays_event(7, What::lost)});
  EXPECT_EQ(row.computing_s, 0);
  EXPECT_EQ(row.away_s, 10);
  EXPECT_EQ(row.unaccounted_s, 0);
}

TEST(Stays, OfWhoCameLateBeginThen) {
  RankRecord row = stays_row(1);
  row.computing_s = 5;
  row.idle_s = 5;  // until it came, it seemed idle
  fill_stays(row, Accounted::itself, {stays_chunk(8)}, {stays_event(4, What::joined)});
  EXPECT_EQ(row.idle_s, 1);
  EXPECT_EQ(row.away_s, 4);
  EXPECT_EQ(row.computing_s, 5);
  EXPECT_EQ(row.unaccounted_s, 0);
}

TEST(Stays, OfWhoCameAgainAreSeveral) {
  RankRecord row = stays_row(2);
  row.computing_s = 3;  // since it is there again
  row.idle_s = 7;
  fill_stays(row, Accounted::itself, {stays_chunk(3), stays_chunk(9)},
             {stays_event(0, What::joined), stays_event(4, What::lost), stays_event(6, What::joined)});
  EXPECT_EQ(row.computing_s, 4);
  EXPECT_EQ(row.idle_s, 3) << "1 s of the last 4, and 2 of the first";
  EXPECT_EQ(row.away_s, 2);
  EXPECT_EQ(row.unaccounted_s, 0);
}

TEST(Stays, OfWhoFellSilentEndThenUnlessItTellsOfItsTimeItself) {
  const std::vector<MemberEvent> events{stays_event(0, What::joined), stays_event(4, What::silent)};
  RankRecord row = stays_row(1);
  fill_stays(row, Accounted::not_at_all, {stays_chunk(3)}, events);
  EXPECT_EQ(row.away_s, 6);
  RankRecord other = stays_row(1);
  other.computing_s = 10;
  fill_stays(other, Accounted::itself, {stays_chunk(3)}, events);
  EXPECT_EQ(other.away_s, 0);
  EXPECT_EQ(other.computing_s, 10);
}

TEST(Stays, WithoutEventsEndWithTheLastThatCameOfWhoDidNotAnswer) {
  RankRecord row = stays_row(1);
  fill_stays(row, Accounted::not_at_all, {stays_chunk(3)}, {});
  EXPECT_EQ(row.away_s, 7);
  EXPECT_EQ(row.idle_s, 1);
  EXPECT_EQ(row.unaccounted_s, 0);
}

}  // namespace
}  // namespace loadshare
