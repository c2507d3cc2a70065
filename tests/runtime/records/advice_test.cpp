#include "runtime/records/advice.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "runtime/records/summary.hpp"
#include "tests/runtime/records/sample_record.hpp"

namespace loadshare {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

TEST(WidthCostText, ReportsAKnownHighCostOfNarrowChunks) {
  RunRecord record = test::sample_record(2);
  EXPECT_THAT(width_cost_text(record), IsEmpty());
  record.width_cost = {3, 1280, 5.06, WidthCost::Source::repetition};
  EXPECT_EQ(width_cost_text(record),
            "columns cost 5.1 times as much in chunks of 3 as in chunks of 1,280, tried after the run");
  EXPECT_THAT(
      summary(record, 200),
      HasSubstr("stolen by other programs\nchunks      columns cost 5.1 times as much in chunks of 3 as "
                "in chunks of 1,280, tried after the run\n"
                "advice      larger chunks, as --scheduler factoring cuts them\nverified"));
  record.width_cost->source = WidthCost::Source::run;
  EXPECT_EQ(width_cost_text(record), "columns cost 5.1 times as much in chunks of 3 as in chunks of 1,280");
  record.width_cost->ratio = 1.1;
  EXPECT_THAT(summary(record), Not(HasSubstr("cost")));
}

TEST(Advice, IsEmptyWithoutLosses) {
  EXPECT_THAT(advice(test::sample_record(2)), IsEmpty());
  EXPECT_THAT(advice(RunRecord{}), IsEmpty());
  EXPECT_THAT(summary(test::sample_record(2)), Not(HasSubstr("advice")));
}

TEST(Advice, RecommendsPrefetchForPausesBetweenChunks) {
  RunRecord record = test::sample_record(2);
  // Pauses of 0.04 s in 0.25 s from one chunk to the next.
  for (ChunkRecord& chunk : record.chunks) chunk.ended_s -= 0.04;
  EXPECT_THAT(advice(record), IsEmpty());  // the run used prefetch
  record.options["prefetch"] = Index{0};
  EXPECT_EQ(advice(record),
            "--prefetch 1: 12.0 % of the workers' time passed between one chunk and the next");
  for (RankRecord& rank : record.ranks) rank.capacity = 0.5;  // the limit may have caused the pauses
  EXPECT_THAT(advice(record), IsEmpty());
  for (RankRecord& rank : record.ranks) rank.capacity = 1;
  record.is_thinned = true;  // the pauses may be chunks that were not timed
  EXPECT_THAT(advice(record), IsEmpty());
  record.chunks_timed = 400'000;  // some chunks are not listed
  for (RankRecord& rank : record.ranks) rank.idle_s = 0.15 * record.makespan_s;
  EXPECT_THAT(advice(record), StartsWith("--prefetch 1: 15.0 % of the workers' time passed between"));
}

TEST(Advice, RecommendsSmallerLastChunksForIdleWorkers) {
  RunRecord record = test::sample_record(2);
  record.chunks.pop_back();  // without the second worker's last chunk: it ends after 0.84 s of 1.25 s
  EXPECT_THAT(advice(record), IsEmpty());  // idle for 0.24 s of 2.5 s
  record.chunks.back().ended_s = 1.25;     // it began at 0.85 s
  EXPECT_THAT(advice(record), StartsWith("smaller chunks at the end, as --scheduler factoring cuts them: for "
                                         "16.0 % of their time workers were idle while one computed its last "
                                         "20 columns"));
  record.chunks.back().chunk.size = 1;  // a chunk of one iteration cannot be divided
  EXPECT_THAT(advice(record), IsEmpty());
}

/// Three almost equal workers and one that is `times` slower, with two chunks of 20 columns each.
RunRecord unequal_record(double times) {
  RunRecord record = test::sample_record(4);
  record.chunks.resize(8);
  record.chunks_total = record.chunks_timed = 8;
  for (ChunkRecord& chunk : record.chunks) {
    const bool is_slow = chunk.worker == WorkerId{3};
    chunk.begun_s = chunk.chunk.first < 80 ? 0.01 : is_slow ? 0.01 + 0.15 * times : 0.16;
    chunk.ended_s = chunk.begun_s + 0.15 * (is_slow ? times : chunk.worker == WorkerId{0} ? 0.99 : 1);
    record.makespan_s = std::max(record.makespan_s, chunk.ended_s);
  }
  return record;
}

TEST(Advice, IsASchedulerThatFollowsSpeedsIfWorkersAreUnequal) {
  RunRecord record = unequal_record(4.1);
  record.scheduler = "factoring";
  EXPECT_EQ(
      advice(record),
      "--scheduler auto or steady, which follow the speeds of the workers: an iteration takes 4.1 times as "
      "long for rank 4 on node0 as for rank 1 on node0, and at the end workers were idle for 55.8 % of "
      "their time");
  record.scheduler = "gss";
  EXPECT_THAT(advice(record), StartsWith("--scheduler auto or steady"));
  for (const char* follows : {"steady", "steady:min=2"}) {
    record.scheduler = follows;
    EXPECT_THAT(advice(record), IsEmpty());
  }
  record.scheduler = "factoring";
  record.choice.emplace();  // auto chose it
  EXPECT_THAT(advice(record), IsEmpty());
  record.choice.reset();
  for (RankRecord& rank : record.ranks)
    if (rank.worker != WorkerId{3}) rank.away_s = record.makespan_s;  // they had left, and were not idle
  EXPECT_THAT(advice(record), IsEmpty());
}

TEST(Advice, IsNotAboutSpeedsIfWorkersAreEqual) {
  RunRecord record = unequal_record(1);
  for (ChunkRecord& chunk : record.chunks)
    if (chunk.worker == WorkerId{3} && chunk.chunk.first >= 80) chunk.ended_s = 1.25;  // long by chance
  EXPECT_THAT(advice(record), StartsWith("smaller chunks at the end, as --scheduler factoring cuts them"));
}

TEST(Advice, IsSmallerChunksOrFewerWorkersIfSomeReceivedNone) {
  RunRecord record = test::sample_record(4);
  record.chunks.resize(3);
  record.chunks_total = record.chunks_timed = 3;
  EXPECT_EQ(advice(record),
            "smaller chunks, as --scheduler auto cuts them: there were 3 chunks for 4 workers");
  record.iterations = 3;
  EXPECT_EQ(advice(record), "fewer workers: there were 3 iterations for 4 workers");
  record.iterations = 300;
  record.journal = JournalRecord{.recovered = 297};
  EXPECT_EQ(advice(record), "fewer workers: there were 3 iterations for 4 workers");
  record.ranks.back().away_s = record.makespan_s;  // it came too late
  EXPECT_THAT(advice(record), IsEmpty());
}

TEST(Advice, IsLargerChunksIfShortOnesCostMuchCommunication) {
  RunRecord record = test::sample_record(2);
  record.options["prefetch"] = Index{1};
  for (RankRecord& rank : record.ranks) {
    if (!rank.worker) continue;
    rank.communicating_s += 0.4;
    rank.computing_s -= 0.4;
  }
  record.shared_input_s = 0;
  EXPECT_THAT(advice(record), IsEmpty());  // its chunks are long
  record.chunks_total = 4000;
  EXPECT_EQ(
      advice(record),
      "larger chunks, as --scheduler factoring cuts them: a chunk takes 397 us to compute, and communication "
      "took 34.0 % of the workers' time");
  record.scheduler = "factoring";
  EXPECT_THAT(advice(record), StartsWith("a larger min for factoring: "));
  record.shared_input_s = 0.4;  // most of it was the broadcast input
  EXPECT_THAT(advice(record), IsEmpty());
  record.shared_input_s = 0;
  record.chunks_total = 2;  // each worker has one, which cannot be larger
  for (RankRecord& rank : record.ranks) rank.computing_s = 1e-4;
  EXPECT_THAT(advice(record), IsEmpty());
}

TEST(Advice, PointsToOtherProgramsForStolenTime) {
  RunRecord record = test::sample_record(2);
  for (RankRecord& rank : record.ranks) {
    rank.stolen_s += 0.4;
    rank.computing_s -= 0.4;
  }
  EXPECT_EQ(advice(record),
            "end other programs on the hosts (`loadshare doctor` names them): they took 33.0 % of the "
            "workers' time");
  for (RankRecord& rank : record.ranks) rank.host = "node0";
  EXPECT_EQ(advice(record), "at most as many workers as processors: on node0, 2 workers share 1 processor");
  record.load = test::sample_load();  // the load was requested
  EXPECT_THAT(advice(record), IsEmpty());
}

TEST(Advice, RecommendsMoreWorkersForWaitingBodies) {
  RunRecord record = test::sample_record(2);
  for (RankRecord& rank : record.ranks) {
    rank.blocked_s = 0.5;
    rank.idle_s += 0.5;
    rank.computing_s -= 0.5;
  }
  EXPECT_EQ(advice(record),
            "more workers than processors: for 40.0 % of their time the loop's body slept, or waited for "
            "something other than a processor, such as a disk");
  EXPECT_THAT(
      summary(record, 200),
      HasSubstr("efficiency  95.5 % of the workers' time went into computing, 41.9 % of it waiting in the "
                "body (asleep or for something other than a processor)\n"));
}

TEST(Advice, RecommendsNoMoreWorkersForBusyProcessors) {
  RunRecord record = test::sample_record(2);
  for (RankRecord& rank : record.ranks) {
    rank.host = "node0";  // child processes of two workers share processor 0
    rank.blocked_s = 0.6;
    rank.idle_s += 0.6;
    rank.computing_s -= 0.6;
  }
  EXPECT_THAT(advice(record), IsEmpty());
}

TEST(Advice, IsAboutTheLargestLoss) {
  RunRecord record = test::sample_record(2);
  record.options["prefetch"] = Index{0};
  for (ChunkRecord& chunk : record.chunks) chunk.ended_s -= 0.04;
  record.width_cost = {3, 96, 1.25};  // a fifth of the computing
  EXPECT_THAT(advice(record), StartsWith("larger chunks"));
  for (ChunkRecord& chunk : record.chunks) chunk.ended_s -= 0.1;
  EXPECT_THAT(advice(record), StartsWith("--prefetch 1"));
}

TEST(Explanation, CoversTheWordsOfTheSummary) {
  RunRecord record = test::sample_record(2);
  const std::string plain = explanation(record, 100);
  EXPECT_THAT(plain, HasSubstr("stolen%     share of the makespan in which the rank had something"));
  for (const char* word : {"\nwaiting", "\nchunks", "\nload", "\nauto", "comm+wait%"})
    EXPECT_THAT(plain, Not(HasSubstr(word)));
  record.width_cost = {3, 96, 5};
  record.ranks[1].waiting_cpu_s = 1;
  record.load = test::sample_load();
  const std::string more = explanation(record, 100);
  for (const char* word : {"\nwaiting", "\nchunks", "\nload"}) EXPECT_THAT(more, HasSubstr(word));
  record.is_idle_known = false;
  EXPECT_THAT(explanation(record, 100), HasSubstr("comm+wait%"));
  EXPECT_THAT(explanation(record, 100), Not(HasSubstr("idle%")));
}

}  // namespace
}  // namespace loadshare
