#include "apps/loadshare/calibration_summary.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "base/error.hpp"
#include "tests/apps/loadshare/made_calibration.hpp"

namespace loadshare::tool::test {
namespace {

using calibration::Calibration;

TEST(Summary, HasTheMiddleAndNineOfTen) {
  std::vector<double> seconds(101);
  std::iota(seconds.rbegin(), seconds.rend(), 100.0);
  const TimeSummary summary = summary_of(seconds);
  EXPECT_EQ(summary.median_s, 150);
  EXPECT_EQ(summary.low_s, 105);
  EXPECT_EQ(summary.high_s, 195);
}

TEST(Summary, OfNothingIsRefused) {
  EXPECT_THROW(summary_of({}), UsageError);
  EXPECT_THROW(round_trip_s(made_calibration(), {1, 0}), UsageError);
}

TEST(Summary, PutsLaunchesTogether) {
  Calibration made = made_calibration();
  made.launches.push_back(made.launches.front());
  made.messages.push_back(made.messages.front());
  made.messages.back().launch = 1;
  made.messages.back().messages = {{3e-6, 4e-6, false}};
  const auto kinds = kinds_of(made, {0, 1});
  ASSERT_EQ(kinds.size(), 2u);
  EXPECT_EQ(kinds[0].messages(), 2u);
  EXPECT_DOUBLE_EQ(kinds[0].sizes[0].sender.median_s, 2e-6);
  EXPECT_DOUBLE_EQ(kinds[0].sizes[0].receiver.median_s, 3e-6);
  EXPECT_EQ(kinds[1].sizes.size(), 2u);
}

TEST(Summary, KnowsWhereSendsBeginToWait) {
  const auto threshold = threshold_of(kinds_of(made_calibration(), {0, 1}));
  ASSERT_TRUE(threshold);
  EXPECT_EQ(threshold->first, 64);
  EXPECT_EQ(threshold->second, 99);
  Calibration all_wait = made_calibration();
  all_wait.messages.erase(all_wait.messages.begin() + 1);
  EXPECT_FALSE(threshold_of(kinds_of(all_wait, {0, 1})));
}

TEST(Summary, OneSizeThatWasLateByChanceIsNotWhereSendsBeginToWait) {
  Calibration made = made_calibration();
  const auto add = [&](Index bytes, bool has_waited) {
    made.messages.push_back({0,
                             0,
                             1,
                             communication::SendMode::standard,
                             communication::ReceivePosted::after,
                             bytes,
                             {{1e-6, 1e-6, has_waited}}});
  };
  add(8, true);
  for (const Index bytes : {16, 32, 70, 80}) add(bytes, false);
  const auto threshold = threshold_of(kinds_of(made, {0, 1}));
  ASSERT_TRUE(threshold);
  EXPECT_EQ(threshold->first, 80);
  EXPECT_EQ(threshold->second, 99);
}

TEST(Summary, DropsNoChunksOfOneLaunch) {
  Calibration made = made_calibration();
  made.chunks.push_back(made.chunks.front());
  made.chunks.back().seconds = {8e-6, 8e-6, 8e-6};
  EXPECT_DOUBLE_EQ(chunk_rates_of(made)[0].chunks.at(0).median_s, 7e-6);
}

TEST(Summary, HasRoundTripsAndRates) {
  EXPECT_DOUBLE_EQ(round_trip_s(made_calibration(), {0, 1}), 2e-6);
  const auto rates = chunk_rates_of(made_calibration());
  ASSERT_EQ(rates.size(), 1u);
  EXPECT_EQ(rates[0].rank, 1);
  EXPECT_DOUBLE_EQ(rates[0].chunks.at(0).median_s, 4e-6);
  EXPECT_DOUBLE_EQ(rates[0].chunks.at(0).operations_per_s, 2.0 * 100 * 100 * 4 / 4e-6);
}

}  // namespace
}  // namespace loadshare::tool::test
