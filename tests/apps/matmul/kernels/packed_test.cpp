#include "apps/matmul/kernels/packed.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

namespace loadshare::matmul {
namespace {

template <class T>
class PanelTranspose : public ::testing::Test {};
using PanelTypes = ::testing::Types<float, double>;
TYPED_TEST_SUITE(PanelTranspose, PanelTypes);

TYPED_TEST(PanelTranspose, PutsColumnsOneAfterTheOther) {
  for (const auto& [rows, inner] : std::vector<std::pair<Index, Index>>{
           {1, 1}, {1, 7}, {2, 2}, {3, 12}, {5, 5}, {64, 64}, {64, 128}, {64, 192}, {64, 4096}, {7, 0}}) {
    std::vector<TypeParam> panel(static_cast<std::size_t>(rows * inner));
    std::iota(panel.begin(), panel.end(), TypeParam{1});
    ASSERT_TRUE(transpose_in_place(panel.data(), rows, inner));
    for (Index k = 0; k < inner; ++k)
      for (Index i = 0; i < rows; ++i)
        ASSERT_EQ(panel[static_cast<std::size_t>(k * rows + i)], static_cast<TypeParam>(i * inner + k + 1))
            << rows << " x " << inner << ", row " << i << ", column " << k;
  }
}

TYPED_TEST(PanelTranspose, LeavesOtherShapesUnchanged) {
  std::vector<TypeParam> panel(64 * 65);
  std::iota(panel.begin(), panel.end(), TypeParam{1});
  const std::vector<TypeParam> before = panel;
  EXPECT_FALSE(transpose_in_place(panel.data(), 64, 65));
  EXPECT_EQ(panel, before);
}

}  // namespace
}  // namespace loadshare::matmul
