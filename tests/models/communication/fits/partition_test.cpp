#include "models/communication/fits/partition.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace loadshare::communication::test {
namespace {

using Begins = std::vector<std::size_t>;

/// Sum of absolute deviations from the first of a part.
PartCost steps(const std::vector<double>& values) {
  return [&values](std::size_t begin, std::size_t end) {
    double sum = 0;
    for (std::size_t i = begin; i < end; ++i) sum += std::abs(values[i] - values[begin]);
    return sum;
  };
}

TEST(Partition, CutsWhereThatSavesMoreThanThePenalty) {
  const std::vector<double> values{1, 1, 1, 5, 5, 9, 9};
  EXPECT_EQ(best_partition(7, 1, 1, steps(values)), (Begins{0, 3, 5}));
  EXPECT_EQ(best_partition(7, 1, 10, steps(values)), (Begins{0, 3}));
  EXPECT_EQ(best_partition(7, 1, 100, steps(values)), (Begins{0}));
}

TEST(Partition, KeepsTheLeastLength) {
  const std::vector<double> values{1, 9, 9, 9, 9, 9, 9};
  EXPECT_EQ(best_partition(7, 1, 1, steps(values)), (Begins{0, 1}));
  EXPECT_EQ(best_partition(7, 3, 1, steps(values)), (Begins{0, 3}));
  EXPECT_EQ(best_partition(7, 4, 0, steps(values)), (Begins{0}));
}

}  // namespace
}  // namespace loadshare::communication::test
