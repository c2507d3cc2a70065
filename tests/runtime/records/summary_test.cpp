#include "runtime/records/summary.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "tests/runtime/records/sample_record.hpp"

namespace loadshare {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::size_t widest_line(const std::string& text) {
  std::istringstream lines(text);
  std::size_t widest = 0;
  for (std::string line; std::getline(lines, line);) widest = std::max(widest, line.size());
  return widest;
}

TEST(Summary, TwoWorkersHaveThisSummary) {
  EXPECT_EQ(summary(test::sample_record(2), 80),
            R"(matmul: 160 columns by send:size=20 on 2 workers, 3 hosts (mpi)

rank  host   role    columns  chunks  busy%                stolen%  comm%  idle%
   0  node0  master        0       0    0.0  ............      0.0    4.0   96.0
   1  node0  worker       80       4   96.0  ############      1.0    2.0    1.0
   2  node1  worker       80       4   95.0  ###########.      1.0    2.0    2.0

makespan    1.25 s, 96.8 ms of it until every host had the broadcast input
speed       104.6 GFLOP/s
efficiency  95.5 % of the workers' time went into computing
lost        1.5 % idle, 2.0 % communicating, 1.0 % stolen by other programs
verified    yes
)");
}

TEST(Summary, AWorkingMasterCountsAsAWorker) {
  RunRecord record = test::sample_record(1);
  record.ranks.erase(record.ranks.begin());
  record.ranks[0].role = Role::working_master;
  const std::string text = summary(record);
  EXPECT_THAT(text, HasSubstr("  both "));
  EXPECT_THAT(text, HasSubstr("efficiency  96.0 % of the workers' time"));
}

TEST(Summary, ALimitedHostIsSlowWithoutStolenTime) {
  RunRecord record = test::sample_record(2);
  for (RankRecord& rank : record.ranks) {
    if (!rank.worker) continue;
    const double busy_s = rank.computing_s + rank.stolen_s;
    rank.capacity = 0.25;
    rank.computing_s = 0.25 * busy_s;
    rank.stolen_s = busy_s - rank.computing_s;
  }
  const std::string text = summary(record);
  EXPECT_THAT(text, HasSubstr("efficiency  96.5 % of the workers' time"));
  EXPECT_THAT(text, HasSubstr("0.0 % stolen"));
}

TEST(Summary, TimeBeyondTheLimitOfAHostIsStolen) {
  const TimesAtHostSpeed times = at_host_speed({.computing_s = 0.2, .stolen_s = 1.0}, 0.25);
  EXPECT_DOUBLE_EQ(times.computing_s, 0.8);
  EXPECT_DOUBLE_EQ(times.stolen_s, 0.4);
}

TEST(Summary, TimeUsedAheadOfALimitIsTakenFromIdleTime) {
  const TimesAtHostSpeed times =
      at_host_speed({.computing_s = 0.3, .stolen_s = 0.5, .communicating_s = 0.2, .idle_s = 0.6}, 0.25);
  EXPECT_DOUBLE_EQ(times.computing_s, 1.2);
  EXPECT_DOUBLE_EQ(times.stolen_s, 0);
  EXPECT_DOUBLE_EQ(times.idle_s, 0.2);
  EXPECT_DOUBLE_EQ(times.communicating_s, 0.2);
  EXPECT_DOUBLE_EQ(at_host_speed({.computing_s = 1, .communicating_s = 0.5}, 0.25).computing_s, 1.5);
}

RankRecord rank_that_waited(double computing_s, double idle_s, double blocked_s) {
  RankRecord rank;
  rank.computing_s = computing_s;
  rank.idle_s = idle_s;
  rank.blocked_s = blocked_s;
  return rank;
}

TEST(Summary, WaitingInTheBodyIsBusyTime) {
  RankRecord rank = rank_that_waited(0.1, 0.9, 0.8);
  rank.stolen_s = 0.05;
  const TimesAtHostSpeed times = at_host_speed(rank);
  EXPECT_DOUBLE_EQ(times.computing_s, 0.9);
  EXPECT_DOUBLE_EQ(times.waiting_s, 0.8);
  EXPECT_NEAR(times.idle_s, 0.1, 1e-12);
  EXPECT_DOUBLE_EQ(times.stolen_s, 0.05);
  EXPECT_DOUBLE_EQ(waiting_share(rank), 0.8 / 0.9);
}

// With a quarter of a processor, 0.1 s of processor time take 0.4 s. The bodies seem to have waited for the
// other 0.3 s.
TEST(Summary, TimeTakenByALimitIsNotWaiting) {
  RankRecord rank = rank_that_waited(0.1, 0.9, 0.8);
  rank.capacity = 0.25;
  EXPECT_NEAR(at_host_speed(rank).waiting_s, 0.5, 1e-12);
  EXPECT_NEAR(at_host_speed(rank).computing_s, 0.9, 1e-12);
  rank.blocked_s = 0.2;
  EXPECT_EQ(at_host_speed(rank).waiting_s, 0);
  EXPECT_EQ(waiting_share(rank), 0);
}

TEST(Summary, LittleWaitingIsNotAttributedToTheBody) {
  EXPECT_EQ(waiting_share(rank_that_waited(0.9, 0.1, 0.08)), 0);
  EXPECT_NEAR(waiting_share(rank_that_waited(0.8, 0.2, 0.2)), 0.2, 1e-12);
}

RunRecord sample_of_peers() {
  RunRecord record = test::sample_record(2);
  record.app = "cannon";
  record.scheduler.clear();
  record.is_idle_known = false;
  record.shared_input_s = 0;
  record.chunks.clear();
  record.chunks_timed = 0;
  record.ranks.erase(record.ranks.begin());
  for (RankRecord& rank : record.ranks) {
    rank.rank -= 1;
    rank.role = Role::peer;
    rank.communicating_s += rank.idle_s;
    rank.idle_s = 0;
  }
  return record;
}

TEST(Summary, PeersHaveNoSchedulerAndNoChunks) {
  EXPECT_EQ(summary(sample_of_peers(), 80),
            R"(cannon: 160 columns on 2 ranks, 3 hosts (mpi)

rank  host   columns  busy%                            stolen%  comm+wait%
   0  node0       80   96.0  #######################.      1.0         3.0
   1  node1       80   95.0  #######################.      1.0         4.0

makespan    1.25 s
speed       104.6 GFLOP/s
efficiency  95.5 % of the ranks' time went into computing
lost        3.5 % communicating and waiting, 1.0 % stolen by other programs
verified    yes
)");
}

TEST(Summary, PeersMayHaveIdleTime) {
  RunRecord record = sample_of_peers();
  record.is_idle_known = true;
  EXPECT_THAT(summary(record), HasSubstr("  stolen%  comm%  idle%\n"));
  EXPECT_THAT(summary(record), HasSubstr("lost        0.0 % idle, 3.5 % communicating, 1.0 % stolen"));
}

TEST(Summary, ManyWorkersFitOnAScreen) {
  const std::string text = summary(test::sample_record(100));
  EXPECT_LT(std::count(text.begin(), text.end(), '\n'), 40);
  EXPECT_THAT(text, HasSubstr(" ...  77 more:  mean       80.0     4.0   94.5  "));
  EXPECT_THAT(text, HasSubstr("least busy  rank 4 on node0: 93.0 %\n"));
}

TEST(Summary, ThirtyTwoWorkersAreAllShown) {
  EXPECT_THAT(summary(test::sample_record(32)), Not(HasSubstr("more:")));
}

TEST(Summary, LinesFitTheScreen) {
  RunRecord record = test::sample_record(40);
  record.ranks[3].host = std::string(60, 'h');
  record.notes = {
      "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"};
  for (const int width : {60, 80, 100, 200})
    EXPECT_LE(widest_line(summary(record, width)), static_cast<std::size_t>(width));
  for (RankRecord& rank : record.ranks) rank.role = Role::peer;
  EXPECT_LE(widest_line(summary(record, 80)), 80u);
  EXPECT_LE(widest_line(summary(record, 0)), 80u);
}

TEST(Summary, ReportsReissuesAndTheRelievedWorkers) {
  RunRecord record = test::sample_record(2);
  record.reissue.emplace();
  EXPECT_THAT(summary(record), Not(HasSubstr("re-issue")));
  EXPECT_THAT(summary(record), Not(HasSubstr("\nagain")));
  record.reissue =
      ReissueRecord{.again = 9, .twice = 4, .copies = 3, .first = 2, .saved = {{WorkerId{1}, 2}}};
  EXPECT_THAT(summary(record, 200), HasSubstr("again       9 columns also given to another worker, counted "
                                              "each time; 4 certainly computed twice\n"));
  const auto copies_text = [&record](Index copies, Index first) {
    record.reissue->copies = copies;
    record.reissue->first = first;
    record.reissue->saved = {};
    if (first > 0) record.reissue->saved[WorkerId{1}] = first;
    const std::string text = summary(record, 200);
    const std::size_t at = text.find("re-issue    ") + 12;
    return text.substr(at, text.find('\n', at) - at);
  };
  EXPECT_EQ(copies_text(3, 2),
            "3 chunks were also sent to a second worker; 2 of the copies were first, instead of rank 2 (2)");
  EXPECT_EQ(copies_text(3, 1),
            "3 chunks were also sent to a second worker; 1 of the copies was first, instead of rank 2");
  EXPECT_EQ(copies_text(2, 2),
            "2 chunks were also sent to a second worker; all copies were first, instead of rank 2 (2)");
  EXPECT_EQ(copies_text(2, 0), "2 chunks were also sent to a second worker; their copies were not needed");
  EXPECT_EQ(copies_text(1, 1),
            "1 chunk was also sent to a second worker; its copy was first, instead of rank 2");
  EXPECT_EQ(copies_text(1, 0), "1 chunk was also sent to a second worker; its copy was not needed");
}

TEST(Summary, SaysWhatAutoChoseAndWhatItExpected) {
  RunRecord record = test::sample_record(2);
  record.choice = ChoiceRecord{.scheduler = "steady",
                               .level = {"steady"},
                               .predicted_s = 1.3,
                               .survey_s = 0,
                               .choosing_s = 6.14e-3,
                               .budget_s = 29.9e-3,
                               .tried = 13,
                               .candidates = 13,
                               .known_from = ""};
  EXPECT_THAT(summary(record),
              HasSubstr("auto        chose steady at the start; compared 13 schedulers in 6.14 ms\n"
                        "forecast    1.30 s, 4.0 % too long\n"));
  record.choice->level = {"steady", "gss", "tss"};
  record.choice->survey_s = 0.25;
  record.choice->tried = 5;
  record.choice->predicted_s = 1.2;
  EXPECT_THAT(
      summary(record, 200),
      HasSubstr("auto        chose steady after 250 ms; compared 5 of 13 schedulers in 6.14 ms; 2 others "
                "are equally good\nforecast    1.20 s, 4.0 % too short\n"));
  record.choice->tried = 0;
  EXPECT_THAT(summary(record),
              HasSubstr("auto        kept steady, with which it began: the run was too short to choose\n"));
}

TEST(Summary, ReportsLateAndLostWorkers) {
  using What = MemberEvent::What;
  RunRecord record = test::sample_record(2);
  record.membership.emplace();
  record.membership->events = {{0.01, What::joined, WorkerId{0}, 0},
                               {1.5, What::joined, WorkerId{1}, 0},
                               {2.25, What::lost, WorkerId{1}, 2},
                               {3, What::silent, WorkerId{0}, 1},
                               {4, What::back, WorkerId{0}, 0}};
  const std::string text = summary(record);
  EXPECT_THAT(text, Not(HasSubstr("rank 1 on node0 joined"))) << "it was there from the start";
  for (const char* line : {"members     rank 2 on node1 joined after 1.50 s\n",
                           "members     rank 2 on node1 was lost after 2.25 s with 2 chunks\n",
                           "members     rank 1 on node0 was silent after 3.00 s with 1 chunk\n",
                           "members     rank 1 on node0 answered again after 4.00 s\n"})
    EXPECT_THAT(text, HasSubstr(line));
}

TEST(Summary, ListsTheFirstSkippedIterations) {
  RunRecord record = test::sample_record(2);
  for (Index i = 0; i < 7; ++i) record.skipped.push_back({10 * i, WorkerId{0}, "out of luck"});
  const std::string text = summary(record);
  EXPECT_THAT(text, HasSubstr("left out    iteration 40: out of luck\n"));
  EXPECT_THAT(text, Not(HasSubstr("iteration 50")));
  EXPECT_THAT(text, HasSubstr("left out    and 2 more: --json lists all\n"));
}

TEST(Summary, ReportsUnlistedChunks) {
  RunRecord record = test::sample_record(2);
  record.is_thinned = true;
  record.chunks_total = record.chunks_timed = 400'000;
  const std::string text = summary(record);
  EXPECT_THAT(text, HasSubstr("note        the record lists 8 of 400,000 timed chunks"));
  EXPECT_THAT(text, Not(HasSubstr("so short")));
}

TEST(Summary, ReportsDoubtfulFigures) {
  RunRecord record = test::sample_record(2);
  record.verified = false;
  record.is_thinned = true;
  record.chunks_total = 1'000'000;
  record.ranks[1].unaccounted_s = 0.1;
  record.ranks[1].waiting_cpu_s = 1;
  record.notes = {"no kernel for this processor: blas served"};
  const std::string text = summary(record);
  EXPECT_THAT(text, HasSubstr("verified    NO, the result is wrong\n"));
  EXPECT_THAT(text, HasSubstr("note        chunks are so short that only 8 of 1,000,000 were timed\n"));
  EXPECT_THAT(text, HasSubstr("note        a rank's times do not add up to the makespan: up to 8.0 %"));
  EXPECT_THAT(text, HasSubstr("waiting     used 1.00 s of processor time"));
  EXPECT_THAT(text, HasSubstr("note        no kernel for this processor: blas served\n"));
}

TEST(Summary, OneIterationIsSingular) {
  RunRecord record = test::sample_record(1);
  record.iterations = 1;
  EXPECT_THAT(summary(record), ::testing::StartsWith("matmul: 1 column by"));
}

TEST(Summary, FindingsPrecedeTheVerification) {
  RunRecord record = test::sample_record(2);
  record.findings = {{"mops", 68.5, "rate", "68.5 Mop/s"}, {"checks", Index{50}, "checks", "50 passed"}};
  EXPECT_THAT(summary(record),
              HasSubstr("\nrate        68.5 Mop/s\nchecks      50 passed\nverified    yes\n"));
}

TEST(Summary, DoesNotRecommendNapsToNappingWorkers) {
  RunRecord record = test::sample_record(2);
  record.ranks[1].waiting_cpu_s = 1;
  EXPECT_THAT(summary(record), HasSubstr("used 1.00 s of processor time (--wait nap avoids that)\n"));
  record.options["wait_in_force"] = std::string("nap");
  EXPECT_THAT(summary(record), HasSubstr("used 1.00 s of processor time\n"));
}

TEST(Summary, ReportsTheLoadAndTheTimeItTook) {
  RunRecord record = test::sample_record(2);
  record.load = test::sample_load();
  EXPECT_THAT(summary(record, 200),
              HasSubstr("load        on=1s,off=1s on 2 ranks: took 49.0 % of a "
                        "processor while it was on, 490 ms of processor time; the workers kept 51.0 %\n"));
  EXPECT_THAT(summary(record, 200), HasSubstr("1.0 % stolen by the load and other programs\n"));
  record.load->ranks[0].capacity = 0.5;
  EXPECT_THAT(summary(record, 200),
              HasSubstr("took 65.3 % of the ranks' share of a processor while it was on, 490 ms"));
  for (LoadedRank& rank : record.load->ranks) rank.on_s = 0;
  EXPECT_THAT(summary(record, 200),
              HasSubstr("load        on=1s,off=1s on 2 ranks: the run ended before the load began\n"));
}

TEST(Summary, AnEmptyLoopDoesNotDivideByZero) {
  RunRecord record = test::sample_record(1);
  record.iterations = 0;
  record.makespan_s = 0;
  record.shared_input_s = 0;
  record.ranks[1] = RankRecord{};
  record.ranks[1].worker = WorkerId{0};
  const std::string text = summary(record);
  EXPECT_THAT(text, HasSubstr("efficiency  none: nothing was computed\n"));
  EXPECT_THAT(text, Not(HasSubstr("nan")));
  EXPECT_THAT(text, Not(HasSubstr("inf")));
  EXPECT_THAT(text, Not(HasSubstr("speed")));
}

TEST(Summary, AnEmptyRecordHasASummary) {
  EXPECT_THAT(summary(RunRecord{}), HasSubstr("verified    not checked\n"));
}

TEST(Summary, CountsAWorkerThatLeftForItsTimeOfPresence) {
  RunRecord record = test::sample_record(2);
  RankRecord& leaver = record.ranks.back();
  leaver.away_s = record.makespan_s / 2;
  leaver.computing_s = record.makespan_s / 2;
  leaver.idle_s = leaver.stolen_s = leaver.communicating_s = 0;
  RankRecord& other = record.ranks[1];
  other = leaver;
  other.away_s = 0;
  other.idle_s = record.makespan_s / 2;
  EXPECT_DOUBLE_EQ(worker_shares(record).computing, 1 / 1.5);
  const std::string text = summary(record, 120);
  EXPECT_THAT(text, HasSubstr("efficiency  66.7 % of the workers' time"));
  EXPECT_THAT(text, HasSubstr("  100.0  "));
}

}  // namespace
}  // namespace loadshare
