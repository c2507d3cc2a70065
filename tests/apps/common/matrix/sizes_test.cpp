#include "apps/common/matrix/sizes.hpp"

#include <gtest/gtest.h>

namespace loadshare {
namespace {

TEST(Sizes, NeverWrapRound) {
  EXPECT_EQ(matrix_bytes(3, 4, ElementType::float32), 48U);
  EXPECT_EQ(matrix_bytes(0, Index{1} << 62, ElementType::float64), 0U);
  EXPECT_EQ(matrix_bytes(Index{1} << 32, Index{1} << 32, ElementType::float64), too_many_bytes);
  EXPECT_EQ(matrix_bytes(Index{1} << 62, 1, ElementType::float64), too_many_bytes);
  EXPECT_EQ(product_bytes(2, 3, 4, ElementType::float64), 8U * (6 + 12 + 8));
  EXPECT_EQ(product_bytes(Index{1} << 40, 1, Index{1} << 40, ElementType::float64), too_many_bytes);
}

}  // namespace
}  // namespace loadshare
