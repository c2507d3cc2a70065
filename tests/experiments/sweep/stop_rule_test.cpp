#include "experiments/sweep/stop_rule.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

namespace loadshare::sweep {
namespace {

std::vector<double> first_numbers(std::size_t count) {
  std::vector<double> values(count);
  std::iota(values.begin(), values.end(), 1.0);
  return values;
}

TEST(StopRule, Median) {
  EXPECT_EQ(median(std::vector{3.0, 1.0, 2.0}), 2);
  EXPECT_EQ(median(std::vector{4.0, 1.0, 2.0, 3.0}), 2.5);
}

TEST(StopRule, FewerThanSixSamplesHaveNoInterval) {
  EXPECT_FALSE(median_interval(first_numbers(0)));
  EXPECT_FALSE(median_interval(first_numbers(5)));
  EXPECT_TRUE(median_interval(first_numbers(6)));
}

// The table of Conover, Practical Nonparametric Statistics: ranks of the 95 % interval.
TEST(StopRule, IntervalsHaveTheTabulatedRanks) {
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

TEST(StopRule, AFixedNumberIsEnough) {
  EXPECT_FALSE(is_enough({3, 3, 0}, first_numbers(2)));
  EXPECT_TRUE(is_enough({3, 3, 0}, first_numbers(3)));
}

TEST(StopRule, GoesOnUntilTheIntervalIsNarrow) {
  const Repeat rule{6, 10, 0.02};
  const std::vector<double> narrow{100, 101, 99, 100, 100, 101};
  EXPECT_TRUE(is_enough(rule, narrow));
  EXPECT_FALSE(is_enough(rule, std::vector<double>(5, 100.0))) << "at least 6";
  std::vector<double> wide{100, 103, 99, 100, 100, 101};
  EXPECT_FALSE(is_enough(rule, wide));
  wide.resize(10, 200);
  EXPECT_TRUE(is_enough(rule, wide)) << "at most 10";
}

}  // namespace
}  // namespace loadshare::sweep
