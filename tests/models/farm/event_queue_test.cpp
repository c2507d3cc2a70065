#include "models/farm/event_queue.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <random>
#include <vector>

#include "base/random.hpp"

namespace loadshare::predictor {
namespace {

using Kind = Event::Kind;

std::vector<std::uint32_t> drained(EventQueue& queue) {
  std::vector<std::uint32_t> workers;
  while (!queue.is_empty()) workers.push_back(queue.pop().worker);
  return workers;
}

TEST(EventQueueTest, GivesTheEarliestFirst) {
  EventQueue queue;
  for (const double at_s : {5.0, 0.0, 3.5, 1e-300, 7.25, 0.5, 3.25})
    queue.push({at_s, static_cast<std::uint32_t>(at_s * 4), Kind::order_here, 0});
  EXPECT_THAT(drained(queue), testing::ElementsAre(0, 0, 2, 13, 14, 20, 29));
}

TEST(EventQueueTest, GivesTheLowerWorkerFirstAtTheSameTime) {
  EventQueue queue;
  for (const std::uint32_t worker : {7u, 2u, 4'000'000'000u, 0u, 5u})
    queue.push({1.5, worker, worker % 2 ? Kind::order_at_port : Kind::shared_input_here, 0});
  EXPECT_THAT(drained(queue), testing::ElementsAre(0, 2, 5, 7, 4'000'000'000u));
}

TEST(EventQueueTest, KeepsAllOfAnEvent) {
  EventQueue queue;
  queue.push({0.125, 4'000'000'000u, Kind::shared_sent, 65535});
  const Event event = queue.pop();
  EXPECT_EQ(event.at_s, 0.125);
  EXPECT_EQ(event.worker, 4'000'000'000u);
  EXPECT_EQ(event.kind, Kind::shared_sent);
  EXPECT_EQ(event.slot, 65535);
}

TEST(EventQueueTest, TellsWhatIsNext) {
  EventQueue queue;
  EXPECT_TRUE(std::isinf(queue.next_s()));
  EXPECT_TRUE(queue.is_next({1e300, 0, Kind::order_here, 0}));
  queue.push({2, 3, Kind::order_here, 0});
  queue.push({4, 1, Kind::order_here, 0});
  EXPECT_EQ(queue.next_s(), 2);
  EXPECT_TRUE(queue.is_next({2, 2, Kind::order_here, 0}));
  EXPECT_FALSE(queue.is_next({2, 4, Kind::order_here, 0}));
  queue.pop();
  EXPECT_EQ(queue.next_s(), 4);
  EXPECT_EQ(queue.size(), 1u);
  queue.pop();
  EXPECT_TRUE(std::isinf(queue.next_s()));
  EXPECT_TRUE(queue.is_empty());
}

/// Pushes and pops as they come, beside a plain list.
TEST(EventQueueTest, StaysInOrderHoweverItIsUsed) {
  std::mt19937_64 random(1);
  EventQueue queue;
  std::vector<double> listed;
  for (int step = 0; step < 20000; ++step) {
    const bool fills = step / 2000 % 2 == 0;
    if (listed.empty() || fraction(random) < (fills ? 0.6 : 0.4)) {
      listed.push_back(std::floor(fraction(random) * 64));
      queue.push({listed.back(), static_cast<std::uint32_t>(step), Kind::order_here, 0});
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
}  // namespace loadshare::predictor
