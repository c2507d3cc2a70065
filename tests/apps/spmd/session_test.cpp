#include "apps/spmd/session.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace loadshare::spmd {
namespace {

using ::testing::DoubleEq;
using ::testing::DoubleNear;
using ::testing::ElementsAre;

RankReport report_of(int rank, const std::string& host, double start_s, double end_s) {
  RankReport report;
  report.rank = rank;
  report.host = host;
  report.cpus = {rank};
  Account account;
  account.iterations = 10 + rank;
  account.start_s = start_s;
  account.end_s = end_s;
  report.workers.push_back(account);
  return report;
}

TEST(SpmdRecord, LastsFromTheFirstBeginToTheLastEnd) {
  RankReport first = report_of(0, "a", 100.0, 104.0);
  RankReport second = report_of(1, "a", 100.5, 105.0);
  first.workers[0].computing_s = 2;
  first.workers[0].stolen_s = 0.5;
  first.workers[0].communicating_s = 1.25;
  second.workers[0].computing_s = 4;
  second.workers[0].communicating_s = 0.5;
  const RunRecord record = build_record({first, second});
  EXPECT_THAT(record.makespan_s, DoubleEq(5));
  ASSERT_EQ(record.ranks.size(), 2u);
  // A second of waiting for the other's end; a quarter of a second is missing.
  EXPECT_THAT(record.ranks[0].communicating_s, DoubleEq(2.25));
  EXPECT_THAT(record.ranks[0].unaccounted_s, DoubleEq(0.25));
  // Half a second of waiting before its begin.
  EXPECT_THAT(record.ranks[1].communicating_s, DoubleEq(1));
  EXPECT_THAT(record.ranks[1].unaccounted_s, DoubleNear(0, 1e-12));
  EXPECT_FALSE(account_closes(record));
}

TEST(SpmdRecord, ClocksAreSetByRankZero) {
  RankReport other = report_of(1, "b", 350.0, 352.0);
  other.clock_offset_s = 250;
  const RunRecord record = build_record({report_of(0, "a", 100, 102), other});
  EXPECT_THAT(record.makespan_s, DoubleEq(2));
  EXPECT_THAT(record.ranks[1].communicating_s, DoubleEq(0));
  EXPECT_EQ(record.ranks[1].clock_offset_s, 250);
}

TEST(SpmdRecord, RanksArePeersWithoutAMaster) {
  const RunRecord record =
      build_record({report_of(0, "a", 0, 1), report_of(1, "b", 0, 1), report_of(2, "a", 0, 1)});
  EXPECT_EQ(record.workers, 3);
  EXPECT_EQ(record.iterations, 33);
  EXPECT_EQ(record.scheduler, "");
  EXPECT_FALSE(record.is_idle_known);
  EXPECT_FALSE(has_master(record));
  EXPECT_THAT(record.hosts, ElementsAre("a", "b"));
  EXPECT_EQ(record.binding, "one processor a rank");
  for (const RankRecord& rank : record.ranks) {
    EXPECT_EQ(rank.role, Role::peer);
    EXPECT_EQ(rank.worker, WorkerId{static_cast<std::uint32_t>(rank.rank)});
  }
}

TEST(SpmdRecord, RanksOfAHostShareItsQuota) {
  RankReport first = report_of(0, "a", 0, 1), second = report_of(1, "a", 0, 1),
             other = report_of(2, "b", 0, 1);
  first.quota = second.quota = 0.5;
  other.quota = 0.75;
  const RunRecord record = build_record({first, second, other});
  EXPECT_THAT(record.ranks[0].capacity, DoubleEq(0.25));
  EXPECT_THAT(record.ranks[1].capacity, DoubleEq(0.25));
  EXPECT_THAT(record.ranks[2].capacity, DoubleEq(0.75));
}

}  // namespace
}  // namespace loadshare::spmd
