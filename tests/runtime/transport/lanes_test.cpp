#include "runtime/transport/lanes.hpp"

#include <gtest/gtest.h>

#include <array>

#include "runtime/transport/host_memory.hpp"

namespace loadshare {
namespace {

/// A loop without data.
class Nothing final : public Cargo {};

/// One worker and its master, on one thread.
struct Lane {
  Order chunk(Index first) {
    Order order;
    order.id = {static_cast<std::uint32_t>(first), 0};
    order.chunk = {first, 1};
    return order;
  }

  Nothing cargo;
  ControlShape shape{.lanes = 1, .prefetch = 3};
  PrivateMemory memory{ControlBlock::bytes(shape)};
  ControlBlock control{shape, memory.bytes().data()};
  SharedInput shared{cargo, control};
  LaneHub master{control, Waiter(WaitPolicy::nap)};
  LaneWorker worker{WorkerId{0}, 0, control, shared, WaitPolicy::nap, std::make_unique<InPlace>(cargo)};
};

TEST(Lanes, CarryChunksOutAndReportsBackInOrder) {
  Lane lane;
  for (Index first = 0; first < 4; ++first) lane.master.give(0, lane.chunk(first));
  for (Index first = 0; first < 4; ++first) {
    const std::optional<Task> task = lane.worker.next();
    ASSERT_TRUE(task);
    EXPECT_EQ(task->chunk, (Chunk{first, 1}));
    lane.worker.done(*task, nullptr);
  }
  std::array<Event, 8> events;
  ASSERT_EQ(lane.master.poll(events), 4u);
  for (std::uint32_t i = 0; i < 4; ++i) EXPECT_EQ(events[i].report.id.slot, i);
}

TEST(Lanes, AFailureBringsItsText) {
  Lane lane;
  lane.worker.failed(std::string(5000, 'x'));
  std::array<Event, 1> events;
  ASSERT_EQ(lane.master.poll(events), 1u);
  EXPECT_EQ(events[0].report.kind, Report::Kind::failed);
  EXPECT_EQ(lane.master.failure_text(0), std::string(failure_text_bytes - 1, 'x'));
}

// A run that failed or was interrupted must not compute a whole prefetch more before it ends.
TEST(Lanes, ChunksStillQueuedWhenTheRunIsOverAreNotBegun) {
  Lane lane;
  for (Index first = 0; first < 3; ++first) lane.master.give(0, lane.chunk(first));
  ASSERT_TRUE(lane.worker.next());
  lane.master.stop();
  EXPECT_FALSE(lane.worker.next());
}

}  // namespace
}  // namespace loadshare
