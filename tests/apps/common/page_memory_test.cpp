#include "apps/common/page_memory.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace loadshare {
namespace {

template <class T>
bool is_aligned(const PageMemory<T>& memory, std::uintptr_t alignment) {
  return reinterpret_cast<std::uintptr_t>(memory.data()) % alignment == 0;
}

TEST(PageMemory, IsAlignedToLinesAndLargePages) {
  EXPECT_TRUE(is_aligned(PageMemory<double>(3), 64));
  EXPECT_TRUE(is_aligned(PageMemory<float>(600'001), std::uintptr_t{2} << 20));
}

TEST(PageMemory, HoldsWhatItWasMadeFor) {
  PageMemory<double> memory(300'000);
  ASSERT_EQ(memory.size(), 300'000);
  memory.data()[0] = 1;
  memory.data()[299'999] = 2;
  EXPECT_EQ(memory.data()[0] + memory.data()[299'999], 3);
}

TEST(PageMemory, MayBeEmpty) {
  EXPECT_EQ(PageMemory<double>().data(), nullptr);
  EXPECT_EQ(PageMemory<double>(0).size(), 0);
}

TEST(AdviseLargePages, TakesAnyRange) {
  char memory[100];
  advise_large_pages(memory, 0);
  advise_large_pages(memory, 100);
  advise_large_pages(nullptr, 0);
}

}  // namespace
}  // namespace loadshare
