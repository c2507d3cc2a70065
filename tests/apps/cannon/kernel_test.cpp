#include "apps/cannon/kernel.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "base/error.hpp"

namespace loadshare::cannon {
namespace {

using ::testing::ElementsAre;

class EveryKernel : public testing::TestWithParam<KernelInfo> {};

TEST_P(EveryKernel, AddsTheProductOfTwoBlocks) {
  const std::vector<double> a{1, 2, 3, 4, 5, 6};                     // 2 x 3
  const std::vector<double> b{1, 0, 2, -1, 0, 3, 1, 0, 4, 0, 5, 1};  // 3 x 4
  std::vector<double> c{100, 0, 0, 0, 0, 0, 0, -10};                 // 2 x 4
  GetParam().multiply({2, 3, 4, a.data(), b.data(), c.data()});
  EXPECT_THAT(c, ElementsAre(113, 6, 19, 2, 28, 15, 43, -8));
}

TEST_P(EveryKernel, IsFoundByName) {
  EXPECT_EQ(find_kernel(GetParam().name), GetParam().multiply);
}

INSTANTIATE_TEST_SUITE_P(Kernels, EveryKernel, testing::ValuesIn(kernels().begin(), kernels().end()),
                         [](const auto& kernel) { return std::string(kernel.param.name); });

TEST(Kernels, AnUnknownNameIsRefused) {
  EXPECT_THROW(find_kernel("blsa"), UsageError);
}

}  // namespace
}  // namespace loadshare::cannon
