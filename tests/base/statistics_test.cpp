#include "base/statistics.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "base/error.hpp"

namespace loadshare {
namespace {

std::vector<double> first_numbers(std::size_t count) {
  std::vector<double> values(count);
  std::iota(values.begin(), values.end(), 1.0);
  return values;
}

TEST(Median, OfAnEvenNumberIsBetween) {
  EXPECT_DOUBLE_EQ(median_of(std::vector{4.0, 1.0, 3.0, 2.0}), 2.5);
  EXPECT_DOUBLE_EQ(median_of(std::vector{7.0}), 7);
  EXPECT_THROW((void)median_of({}), UsageError);
}

TEST(Quantiles, LieBetweenTheValues) {
  EXPECT_DOUBLE_EQ(quantile_of(std::vector{40.0, 10.0, 30.0, 20.0, 50.0}, 0), 10);
  EXPECT_DOUBLE_EQ(quantile_of(std::vector{40.0, 10.0, 30.0, 20.0, 50.0}, 0.9), 46);
  EXPECT_DOUBLE_EQ(quantile_of(std::vector{40.0, 10.0, 30.0, 20.0, 50.0}, 1), 50);
  EXPECT_DOUBLE_EQ(quantile_of(std::vector{7.0}, 0.3), 7);
  EXPECT_THROW((void)quantile_of({}, 0.5), UsageError);
}

TEST(Median, IsTheMiddleOne) {
  EXPECT_EQ(median_of(std::vector{3.0, 1.0, 2.0}), 2);
  EXPECT_EQ(median_of(std::vector{4.0, 1.0, 2.0, 3.0}), 2.5);
}

TEST(MedianInterval, FewerThanSixSamplesHaveNoInterval) {
  EXPECT_FALSE(median_interval(first_numbers(0)));
  EXPECT_FALSE(median_interval(first_numbers(5)));
  EXPECT_TRUE(median_interval(first_numbers(6)));
}

// The table of Conover, Practical Nonparametric Statistics: ranks of the 95 % interval.
TEST(MedianInterval, IntervalsHaveTheTabulatedRanks) {
  struct Row {
    std::size_t count;
    double low, high;
  };
  for (const Row& row : {Row{6, 1, 6}, Row{8, 1, 8}, Row{9, 2, 8}, Row{10, 2, 9}, Row{15, 4, 12},
                         Row{20, 6, 15}, Row{25, 8, 18}, Row{30, 10, 21}, Row{100, 40, 61}}) {
    const auto interval = median_interval(first_numbers(row.count));
    ASSERT_TRUE(interval) << row.count;
    EXPECT_EQ(interval->low, row.low) << row.count;
    EXPECT_EQ(interval->high, row.high) << row.count;
  }
  EXPECT_TRUE(median_interval(first_numbers(5000))) << "2^-5000 is no double";
}

}  // namespace
}  // namespace loadshare
