#include "runtime/transport/placement.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

namespace loadshare {
namespace {

std::uintptr_t place(std::span<const std::byte> memory) {
  return reinterpret_cast<std::uintptr_t>(memory.data());
}

TEST(ChunkMemory, BeginsOnACacheLineHoweverItGrows) {
  ChunkMemory memory;
  for (const std::size_t bytes : {1UL, 24UL, 40UL, 1000UL, 5760UL, 11520UL, 300000UL}) {
    const auto room = memory.fit(bytes);
    EXPECT_EQ(room.size(), bytes);
    EXPECT_EQ(place(room) % 64, 0U) << bytes;
    EXPECT_TRUE(std::ranges::all_of(room, [](std::byte byte) { return byte == std::byte{0}; }));
  }
}

TEST(ChunkMemory, KeepsItsPlaceForSmallerChunks) {
  ChunkMemory memory;
  const auto large = memory.fit(4096);
  large[0] = std::byte{7};
  const auto small = memory.fit(64);
  EXPECT_EQ(place(small), place(large));
  EXPECT_EQ(small[0], std::byte{7});
  EXPECT_EQ(memory.fit(4096).size(), 4096U);
}

TEST(ChunkMemory, HasRoomForNothing) {
  EXPECT_TRUE(ChunkMemory().fit(0).empty());
}

}  // namespace
}  // namespace loadshare
