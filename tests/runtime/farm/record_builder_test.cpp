#include "runtime/farm/record_builder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace loadshare {
namespace {

constexpr RunSpan run{.start_s = 100, .finish_s = 110};

RankRecord times_of(const Account& account, double clock_offset_s = 0) {
  RankRecord row;
  fill_times(row, account, clock_offset_s, run);
  return row;
}

RankReport report_of(std::string host, std::string way) {
  RankReport report;
  report.host = std::move(host);
  report.way = std::move(way);
  return report;
}

TEST(Hosts, AreToldOnceAndWhereTheyComputeInAnotherWay) {
  RunRecord record;
  add_hosts(record,
            {report_of("a", "wide"), report_of("b", "narrow"), absent_rank(2), report_of("b", "narrow"),
             report_of("c", "wide")},
            0);
  EXPECT_THAT(record.hosts, testing::ElementsAre("a", "b", "c"));
  EXPECT_THAT(record.notes,
              testing::ElementsAre("b computes in another way than the master: narrow",
                                   "rank 2 had not answered when the run ended; its times are unknown"));
}

TEST(Hosts, OfAReportThatCannotBeReadAreNamed) {
  RunRecord record;
  RankReport unreadable = absent_rank(1, "b");
  unreadable.unreadable_from = "b (10.0.0.2)";
  add_hosts(record, {report_of("a", "wide"), unreadable}, 0);
  EXPECT_THAT(record.hosts, testing::ElementsAre("a"));
  EXPECT_THAT(record.notes,
              testing::ElementsAre(
                  "rank 1 sent a report that cannot be read, from b (10.0.0.2); its times are unknown"));
}

RankReport report_by_quota(std::string host, std::size_t workers, double quota) {
  RankReport report = report_of(std::move(host), "");
  report.cpus = {0, 1, 2, 3, 4, 5, 6, 7};
  report.workers.resize(workers);
  report.quota = quota;
  report.follows_quota = true;
  return report;
}

TEST(QuotaNote, SaysWhereWorkersAreFewerThanProcessors) {
  RunRecord record;
  add_quota_note(record, {report_of("a", ""), report_by_quota("b", 2, 1.5)});
  add_quota_note(record, {report_by_quota("b", 1, 0.5), report_of("a", ""), report_by_quota("c", 2, 2),
                          report_by_quota("d", 2, 2)});
  add_quota_note(record, {report_of("a", "")});
  EXPECT_THAT(record.notes,
              testing::ElementsAre(
                  "b has 2 workers, because its control group grants the time of 1.5 of "
                  "its 8 processors (--workers sets another number)",
                  "b has 1 worker, because its control group grants the time of 0.5 of "
                  "its 8 processors; the same holds for 2 processes more (--workers sets another number)"));
}

TEST(TimesInsideRun, LeaveOutWhatWasBeforeAndAfter) {
  const Account account{.chunks = 1,
                        .computing_s = 6,
                        .stolen_s = 1,
                        .communicating_s = 1,
                        .idle_s = 5,
                        .start_s = 98,
                        .last_end_s = 109,
                        .end_s = 111};
  const RankRecord row = times_of(account);
  EXPECT_EQ(row.computing_s, 6);
  EXPECT_EQ(row.idle_s, 2);
  EXPECT_EQ(row.unaccounted_s, 0);
}

TEST(TimesInsideRun, AreIdleWhereABodyWaited) {
  const RankRecord row = times_of({.chunks = 1,
                                   .computing_s = 2,
                                   .stolen_s = 8,
                                   .blocked_s = 7,
                                   .start_s = 100,
                                   .last_end_s = 110,
                                   .end_s = 110});
  EXPECT_EQ(row.stolen_s, 1);
  EXPECT_EQ(row.blocked_s, 7);
  EXPECT_EQ(row.idle_s, 7);
  EXPECT_EQ(row.unaccounted_s, 0);
}

TEST(TimesInsideRun, CountNoCopyThatEndsAfterwards) {
  const Account account{
      .chunks = 1, .computing_s = 8, .idle_s = 4, .start_s = 100, .last_end_s = 112, .end_s = 112};
  const RankRecord row = times_of(account);
  EXPECT_EQ(row.computing_s, 6);
  EXPECT_EQ(row.idle_s, 4);
}

TEST(TimesInsideRun, LeaveOutWhatCameTooLate) {
  // The broadcast input came until 6 s after the run's end, to a worker without a chunk.
  const Account account{.communicating_s = 14, .idle_s = 2, .start_s = 100, .last_end_s = 100, .end_s = 116};
  const RankRecord row = times_of(account);
  EXPECT_EQ(row.communicating_s, 10);
  EXPECT_EQ(row.idle_s, 0);
  EXPECT_EQ(row.unaccounted_s, 0);
}

TEST(TimesInsideRun, OfAWorkerThatBeganTooLateAreIdle) {
  for (const double offset_s : {0.0, 7.0}) {
    const Account account{
        .idle_s = 2, .start_s = 150 + offset_s, .last_end_s = 150 + offset_s, .end_s = 152 + offset_s};
    const RankRecord row = times_of(account, offset_s);
    EXPECT_EQ(row.idle_s, 10) << "no longer than the run";
    EXPECT_EQ(row.computing_s, 0);
    EXPECT_EQ(row.unaccounted_s, 0);
  }
}

}  // namespace
}  // namespace loadshare
