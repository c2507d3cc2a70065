#include "base/event_queue.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "base/random.hpp"

namespace loadshare {
namespace {

struct Event {
  double at_s = 0;
  std::uint64_t subject = 0;

  std::uint64_t rank() const { return subject; }
  static Event of(double at_s, std::uint64_t rank) { return {at_s, rank}; }
};
using Events = EventQueue<Event>;

std::vector<std::uint64_t> drained(Events& queue) {
  std::vector<std::uint64_t> subjects;
  while (!queue.is_empty()) subjects.push_back(queue.pop().subject);
  return subjects;
}

TEST(EventQueueTest, GivesTheEarliestFirst) {
  Events queue;
  for (const double at_s : {5.0, 0.0, 3.5, 1e-300, 7.25, 0.5, 3.25})
    queue.push({at_s, static_cast<std::uint64_t>(at_s * 4)});
  EXPECT_THAT(drained(queue), testing::ElementsAre(0, 0, 2, 13, 14, 20, 29));
}

TEST(EventQueueTest, GivesTheLesserRankFirstAtTheSameTime) {
  Events queue;
  for (const std::uint64_t subject : {7ul, 2ul, ~0ul, 0ul, 4'000'000'000ul, 5ul}) queue.push({1.5, subject});
  EXPECT_THAT(drained(queue), testing::ElementsAre(0, 2, 5, 7, 4'000'000'000ul, ~0ul));
}

TEST(EventQueueTest, KeepsAllOfAnEvent) {
  Events queue;
  queue.push({0.125, ~std::uint64_t{1}});
  const Event event = queue.pop();
  EXPECT_EQ(event.at_s, 0.125);
  EXPECT_EQ(event.subject, ~std::uint64_t{1});
}

TEST(EventQueueTest, ComparesAnEventWithTheNext) {
  Events queue;
  EXPECT_TRUE(std::isinf(queue.next_s()));
  EXPECT_TRUE(queue.is_next({1e300, 0}));
  queue.push({2, 3});
  queue.push({4, 1});
  EXPECT_EQ(queue.next_s(), 2);
  EXPECT_TRUE(queue.is_next({2, 2}));
  EXPECT_FALSE(queue.is_next({2, 4}));
  queue.pop();
  EXPECT_EQ(queue.next_s(), 4);
  EXPECT_EQ(queue.size(), 1u);
  queue.pop();
  EXPECT_TRUE(std::isinf(queue.next_s()));
  EXPECT_TRUE(queue.is_empty());
}

TEST(EventQueueTest, HasEventsThatNeverCome) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Events queue;
  for (const std::uint64_t rank : {3U, 1U, 2U}) queue.push({infinity, rank});
  for (const std::uint64_t rank : {1U, 2U, 3U}) EXPECT_EQ(queue.pop().subject, rank);
  EXPECT_TRUE(queue.is_empty());
}

/// Pushes and pops at random, and compares with a plain list.
TEST(EventQueueTest, StaysInOrderUnderAnySequenceOfCalls) {
  std::mt19937_64 random(1);
  Events queue;
  std::vector<double> listed;
  for (int step = 0; step < 20000; ++step) {
    const bool fills = step / 2000 % 2 == 0;
    if (listed.empty() || fraction(random) < (fills ? 0.6 : 0.4)) {
      listed.push_back(std::floor(fraction(random) * 64));
      queue.push({listed.back(), static_cast<std::uint64_t>(step)});
    } else {
      const auto least = std::ranges::min_element(listed);
      ASSERT_EQ(queue.next_s(), *least);
      ASSERT_EQ(queue.pop().at_s, *least);
      listed.erase(least);
    }
    ASSERT_EQ(queue.size(), listed.size());
  }
}

}  // namespace
}  // namespace loadshare
