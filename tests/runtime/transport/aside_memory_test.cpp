#include "runtime/transport/aside_memory.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace loadshare {
namespace {

struct Place {
  std::size_t first;
  std::size_t bytes;
};

bool overlap(const Place& a, const Place& b) {
  return a.first < b.first + b.bytes && b.first < a.first + a.bytes;
}

TEST(AsideMemory, PlacesNeverOverlapAndAllComesBack) {
  constexpr std::size_t room = 1 << 16;
  std::vector<std::byte> bytes(room);
  AsideMemory memory(bytes);
  std::mt19937 random(7);
  std::vector<Place> taken;
  int refused = 0;
  for (int step = 0; step < 20'000; ++step) {
    if (random() % 2 == 0) {
      const std::size_t size = 1 + random() % 3000;
      const auto first = memory.take(size);
      refused += first ? 0 : 1;
      if (!first) continue;
      ASSERT_EQ(*first % 64, 0u) << "on a cache line";
      ASSERT_LE(*first + size, room);
      for (const Place& other : taken) ASSERT_FALSE(overlap({*first, size}, other));
      taken.push_back({*first, size});
    } else if (!taken.empty()) {
      std::swap(taken[random() % taken.size()], taken.back());
      memory.give_back(taken.back().first, taken.back().bytes);
      taken.pop_back();
    }
  }
  EXPECT_GT(refused, 100) << "it was never full";
  for (const Place& place : taken) memory.give_back(place.first, place.bytes);
  EXPECT_EQ(memory.take(room), 0u) << "in one piece";
}

TEST(AsideMemory, WithoutMemoryThereIsNoRoom) {
  AsideMemory memory({});
  EXPECT_EQ(memory.take(1), std::nullopt);
}

/// Results of 8 bytes an iteration.
class Eights final : public DataLayout {
 public:
  std::size_t output_bytes(Chunk chunk) const override { return 8 * static_cast<std::size_t>(chunk.size); }
  std::span<std::byte> output(Chunk chunk) override {
    return std::span(bytes).subspan(8 * static_cast<std::size_t>(chunk.first), output_bytes(chunk));
  }
  std::vector<std::byte> bytes = std::vector<std::byte>(80);
};

TEST(AsideMemory, IsForRunsWhereResultsMayBeSecond) {
  const Eights layout;
  EXPECT_EQ(AsideMemory::bytes_for({.iterations = 10}, 4, layout), 0u);
  EXPECT_GE(AsideMemory::bytes_for({.iterations = 10, .landing = Landing::aside}, 4, layout), 2u * 80);
}

TEST(BringToPlace, BringsThePartAndNothingElse) {
  Eights layout;
  const std::vector<std::byte> aside(5 * 8, std::byte{9});
  bring_to_place(layout, {2, 5}, {4, 2}, aside);
  for (std::size_t i = 0; i < layout.bytes.size(); ++i)
    EXPECT_EQ(layout.bytes[i], i / 8 == 4 || i / 8 == 5 ? std::byte{9} : std::byte{0}) << i;
}

}  // namespace
}  // namespace loadshare
