#include "apps/loadshare/host_survey.hpp"

#include <gtest/gtest.h>

namespace loadshare::tool {
namespace {

constexpr double piece_s = 0.25e-3;

/// What a busy thread notes that runs for so many pieces and then is stopped, over and over; it begins after
/// `first` of its pieces.
std::vector<BusyStamp> turns(int pieces, double stop_s, int all, int first = 0) {
  std::vector<BusyStamp> stamps{{100, 7}};
  for (int i = 1; i <= all; ++i) {
    const double away_s = (first + i) % pieces == 0 ? stop_s : 0;
    stamps.push_back({stamps.back().time_s + piece_s + away_s, stamps.back().cpu_s + piece_s});
  }
  return stamps;
}

const std::optional<predictor::CpuQuota> tenth = predictor::CpuQuota{0.1, 0.01, 0.004};

double share_of_all_time(const std::vector<BusyStamp>& stamps) {
  const double cpu_s = stamps.back().cpu_s - stamps.front().cpu_s;
  return cpu_s / (stamps.back().time_s - stamps.front().time_s);
}

TEST(BusyShare, IsOneOfWhoeverWasNeverStopped) {
  EXPECT_DOUBLE_EQ(busy_share(turns(10, 0, 100), std::nullopt), 1);
  EXPECT_DOUBLE_EQ(busy_share(turns(10, 0, 100), tenth), 1);
}

TEST(BusyShare, UnderALimitCountsWholeTurns) {
  // 16 pieces are 4 ms of each 40 ms: a tenth, wherever in a turn it begins and ends.
  for (const int first : {0, 3, 8, 15})
    for (const int all : {100, 105, 115})
      EXPECT_NEAR(busy_share(turns(16, 36e-3, all, first), tenth), 0.1, 1e-9);
}

TEST(BusyShare, OfOneStopIsOfAllTheTime) {
  const std::vector<BusyStamp> stamps = turns(16, 36e-3, 20);
  EXPECT_NEAR(busy_share(stamps, tenth), share_of_all_time(stamps), 1e-12);
}

TEST(BusyShare, OfOthersThatCameAndWentIsOfAllTheTime) {
  std::vector<BusyStamp> stamps = turns(16, 4e-3, 100);
  const BusyStamp last = stamps.back();
  stamps.push_back({last.time_s + 1, last.cpu_s + 1});  // nobody else was there any more
  EXPECT_NEAR(busy_share(stamps, std::nullopt), share_of_all_time(stamps), 1e-12);
  EXPECT_NEAR(busy_share(stamps, tenth), share_of_all_time(stamps), 1e-12);
}

TEST(BusyShare, IsNeverNothingNorMoreThanAll) {
  EXPECT_EQ(busy_share(std::vector<BusyStamp>{{0, 0}, {1, 1.01}}, std::nullopt), 1);
  EXPECT_GT(busy_share(std::vector<BusyStamp>{{0, 0}, {1, 0}}, tenth), 0);
}

TEST(TurnError, IsATurnOfWhatIsGranted) {
  EXPECT_DOUBLE_EQ(turn_error(*tenth, 1), 0.04);
  EXPECT_DOUBLE_EQ(turn_error({0.8, 0.1, 0.004}, 1), 0.1);
}

TEST(Speed, IsTheMedianOfThePiecesByProcessorTime) {
  const std::vector<BusyStamp> stamps{{0, 0}, {1, 1e-3}, {9, 3e-3}, {10, 7e-3}};
  const MeasuredSpeed speed = speed_of(stamps, 4e6);
  EXPECT_DOUBLE_EQ(speed.median_gflops, 2);
  EXPECT_GT(speed.high_gflops, 2);
  EXPECT_LT(speed.low_gflops, 2);
  EXPECT_EQ(speed.pieces, 3);
}

TEST(Available, IsOfWhatIsGranted) {
  EXPECT_DOUBLE_EQ(available_of(0.05, predictor::CpuQuota{0.1, 0.01, 0.004}), 0.5);
  EXPECT_DOUBLE_EQ(available_of(0.7, std::nullopt), 0.7);
  EXPECT_EQ(available_of(0.104, predictor::CpuQuota{0.1, 0.01, 0.004}), 1);
}

TEST(GrantOfOne, IsAnEqualPartAndNoneWhereThatIsAProcessor) {
  EXPECT_DOUBLE_EQ(grant_of_one({1.5, 0.1, 0.004}, 2)->share, 0.75);
  EXPECT_EQ(grant_of_one({1.5, 0.1, 0.004}, 2)->period_s, 0.1);
  EXPECT_FALSE(grant_of_one({1.5, 0.1, 0.004}, 1));
  EXPECT_FALSE(grant_of_one({2, 0.1, 0.004}, 2));
}

}  // namespace
}  // namespace loadshare::tool
