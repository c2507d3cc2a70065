#include "profiler/preload/request_table.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace loadshare::profile {
namespace {

const void* handle(std::size_t number) {
  return reinterpret_cast<const void*>(0x1000 + number * 64);
}

TEST(RequestTable, ForgetsRemovedRequests) {
  RequestTable table;
  table.add(handle(1)).number = 5;
  ASSERT_NE(table.find(handle(1)), nullptr);
  EXPECT_EQ(table.find(handle(1))->number, 5U);
  table.remove(handle(1));
  EXPECT_EQ(table.find(handle(1)), nullptr);
  table.remove(handle(1));
}

TEST(RequestTable, KeepsManyRequestsOfOneHandle) {
  RequestTable table;
  for (std::uint32_t i = 1; i <= 3; ++i) table.add(handle(7)).number = i;
  std::uint32_t sum = 0;
  for (int i = 0; i < 3; ++i) {
    sum += table.find(handle(7))->number;
    table.remove(handle(7));
  }
  EXPECT_EQ(sum, 6U);
  EXPECT_EQ(table.find(handle(7)), nullptr);
}

/// Compares the table with a map during growth and many removals, which move entries.
TEST(RequestTable, AgreesWithAMap) {
  RequestTable table;
  std::map<std::size_t, std::uint32_t> known;
  std::mt19937 random(3);
  for (std::uint32_t step = 1; step <= 200'000; ++step) {
    const std::size_t number = random() % 4000;
    if (known.erase(number) > 0) {
      table.remove(handle(number));
    } else {
      known[number] = step;
      table.add(handle(number)).number = step;
    }
  }
  for (std::size_t number = 0; number < 4000; ++number) {
    const OpenRequest* found = table.find(handle(number));
    ASSERT_EQ(found != nullptr, known.contains(number)) << number;
    if (found == nullptr) continue;
    EXPECT_EQ(found->number, known[number]);
  }
}

}  // namespace
}  // namespace loadshare::profile
