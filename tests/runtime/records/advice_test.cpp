#include "runtime/records/advice.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/records/summary.hpp"
#include "tests/runtime/records/sample_record.hpp"

namespace loadshare {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

TEST(WidthCostText, SaysWhatNarrowChunksCostWhereItIsKnownAndMuch) {
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

TEST(Advice, IsNoneWhereNothingWasLost) {
  EXPECT_THAT(advice(test::sample_record(2)), IsEmpty());
  EXPECT_THAT(advice(RunRecord{}), IsEmpty());
  EXPECT_THAT(summary(test::sample_record(2)), Not(HasSubstr("advice")));
}

TEST(Advice, PrefetchWhereWorkersPauseBetweenChunks) {
  RunRecord record = test::sample_record(2);
  for (ChunkRecord& chunk : record.chunks) chunk.ended_s -= 0.04;  // of 0.25 s from one chunk to the next
  EXPECT_THAT(advice(record), IsEmpty());                          // it had prefetch already
  record.options["prefetch"] = Index{0};
  EXPECT_EQ(advice(record),
            "--prefetch 1: 12.0 % of the workers' time passed between one chunk and the next");
  for (RankRecord& rank : record.ranks) rank.capacity = 0.5;  // the pauses may be the limit's
  EXPECT_THAT(advice(record), IsEmpty());
  for (RankRecord& rank : record.ranks) rank.capacity = 1;
  record.is_thinned = true;  // or those of chunks that were not timed
  EXPECT_THAT(advice(record), IsEmpty());
  record.chunks_timed = 400'000;  // or that are not listed
  for (RankRecord& rank : record.ranks) rank.idle_s = 0.15 * record.makespan_s;
  EXPECT_THAT(advice(record), StartsWith("--prefetch 1: 15.0 % of the workers' time passed between"));
}

TEST(Advice, SmallerLastChunksWhereTheOthersHadNothingLeft) {
  RunRecord record = test::sample_record(2);
  record.chunks.pop_back();                // the second worker's last: it is done after 0.84 s of 1.25
  EXPECT_THAT(advice(record), IsEmpty());  // for 0.24 s of 2.5
  record.chunks.back().ended_s = 1.25;     // begun at 0.85
  EXPECT_THAT(advice(record), StartsWith("smaller chunks at the end, as --scheduler factoring cuts them: for "
                                         "16.0 % of their time workers had nothing left, while one computed "
                                         "its last 20 columns"));
  record.chunks.back().chunk.size = 1;  // nobody could have had a part of it
  EXPECT_THAT(advice(record), IsEmpty());
}

TEST(Advice, LooksForOtherProgramsWhereTimeWasStolen) {
  RunRecord record = test::sample_record(2);
  for (RankRecord& rank : record.ranks) {
    rank.stolen_s += 0.4;
    rank.computing_s -= 0.4;
  }
  EXPECT_EQ(
      advice(record),
      "see which programs run beside it, with `loadshare doctor`: they took 33.0 % of the workers' time");
  for (RankRecord& rank : record.ranks) rank.host = "node0";
  EXPECT_EQ(advice(record), "no more workers than processors: on node0, 2 share 1");
  record.load = test::sample_load();  // as it was asked for
  EXPECT_THAT(advice(record), IsEmpty());
}

TEST(Advice, IsMoreWorkersWhereBodiesWaited) {
  RunRecord record = test::sample_record(2);
  for (RankRecord& rank : record.ranks) {
    rank.blocked_s = 0.5;
    rank.idle_s += 0.5;
    rank.computing_s -= 0.5;
  }
  EXPECT_EQ(advice(record),
            "more workers than processors: for 40.0 % of their time the loop's body slept, or waited for a "
            "disk or something else");
  EXPECT_THAT(
      summary(record, 200),
      HasSubstr("efficiency  95.5 % of the workers' time went into computing, 41.9 % of it waiting in the "
                "body (asleep or for something other than a processor)\n"));
}

TEST(Advice, IsNoMoreWorkersWhereTheProcessorsAreInUse) {
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

TEST(Explanation, IsOfTheWordsThatWereSaid) {
  RunRecord record = test::sample_record(2);
  const std::string plain = explanation(record, 100);
  EXPECT_THAT(plain, HasSubstr("stolen%     of the makespan: the rank had something to compute"));
  for (const char* word : {"\nburnt", "\nchunks", "\nload", "\nchosen", "comm+wait%"})
    EXPECT_THAT(plain, Not(HasSubstr(word)));
  record.width_cost = {3, 96, 5};
  record.ranks[1].waiting_cpu_s = 1;
  record.load = test::sample_load();
  const std::string more = explanation(record, 100);
  for (const char* word : {"\nburnt", "\nchunks", "\nload"}) EXPECT_THAT(more, HasSubstr(word));
  record.tells_idle = false;
  EXPECT_THAT(explanation(record, 100), HasSubstr("comm+wait%"));
  EXPECT_THAT(explanation(record, 100), Not(HasSubstr("idle%")));
}

}  // namespace
}  // namespace loadshare
