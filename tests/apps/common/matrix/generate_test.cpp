#include "apps/common/matrix/generate.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace loadshare {
namespace {

template <class T>
std::vector<T> rows_of(RandomMatrix matrix, Index rows, Index cols) {
  std::vector<T> result(static_cast<std::size_t>(rows * cols));
  generate_rows(matrix, 0, rows, cols, result.data());
  return result;
}

template <class T>
class Generate : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(Generate, Types);

TYPED_TEST(Generate, GivesTheSameValuesByAnyParts) {
  constexpr Index rows = 37, cols = 53;
  const auto whole = rows_of<TypeParam>({7, 1}, rows, cols);
  for (const Index part : {1, 5, 100}) {
    std::vector<TypeParam> by_rows(whole.size()), by_columns(whole.size());
    for (Index at = 0; at < rows; at += part)
      generate_rows({7, 1}, at, std::min(part, rows - at), cols, by_rows.data() + at * cols);
    for (Index at = 0; at < cols; at += part)
      generate_columns({7, 1}, at, rows, std::min(part, cols - at), by_columns.data() + at * rows);
    EXPECT_EQ(by_rows, whole);
    for (Index row = 0; row < rows; ++row)
      for (Index col = 0; col < cols; ++col)
        ASSERT_EQ(by_columns[static_cast<std::size_t>(col * rows + row)],
                  whole[static_cast<std::size_t>(row * cols + col)]);
  }
}

/// Returns the mean of x[i] * y[i]: 1/3 if they are equal, about 0 if they are independent.
template <class T>
double mean_product(const std::vector<T>& x, const std::vector<T>& y, std::size_t shift = 0) {
  double sum = 0;
  for (std::size_t i = shift; i < x.size(); ++i) sum += double{x[i]} * double{y[i - shift]};
  return sum / static_cast<double>(x.size() - shift);
}

TYPED_TEST(Generate, IsUniformFromMinusOneToOne) {
  constexpr std::size_t bins = 16;
  const auto values = rows_of<TypeParam>({1, 0}, 1024, 1024);
  std::vector<int> count(bins);
  for (const TypeParam value : values) {
    ASSERT_TRUE(value >= -1 && value < 1);
    ++count[static_cast<std::size_t>((value + 1) * bins / 2)];
  }
  for (const int in_bin : count) EXPECT_NEAR(in_bin, 65536, 6 * 248);  // six standard deviations
}

TYPED_TEST(Generate, MakesUnrelatedNeighboursStreamsAndSeeds) {
  constexpr Index n = 1024;
  constexpr double bound = 6.0 / 3 / n;  // six standard deviations of the mean of n^2 products
  const auto values = rows_of<TypeParam>({1, 0}, n, n);
  EXPECT_NEAR(mean_product(values, values), 1.0 / 3, bound);
  EXPECT_NEAR(mean_product(values, values, 1), 0, bound);
  EXPECT_NEAR(mean_product(values, values, n), 0, bound);
  EXPECT_NEAR(mean_product(values, values, n + 1), 0, bound);
  EXPECT_NEAR(mean_product(values, rows_of<TypeParam>({1, 1}, n, n)), 0, bound);
  EXPECT_NEAR(mean_product(values, rows_of<TypeParam>({2, 0}, n, n)), 0, bound);
}

TYPED_TEST(Generate, AcceptsEmptyDimensions) {
  TypeParam untouched = 9;
  generate_rows({}, 0, 0, 5, &untouched);
  generate_rows({}, 0, 5, 0, &untouched);
  generate_columns({}, 0, 0, 5, &untouched);
  generate_columns({}, 0, 5, 0, &untouched);
  EXPECT_EQ(untouched, 9);
}

// A seed in an old record must mean the same matrix for ever.
TEST(GenerateDouble, NeverChanges) {
  const auto values = rows_of<double>({42, 1}, 2, 2);
  EXPECT_EQ(values, (std::vector<double>{-0x1.032f6dddd598cp-1, -0x1.dd6f66a940aa8p-1, 0x1.b9bfcc4353bcp-1,
                                         0x1.618bb16e23ca8p-2}));
}

}  // namespace
}  // namespace loadshare
