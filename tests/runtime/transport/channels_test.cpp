#include "runtime/transport/channels.hpp"

#include <gtest/gtest.h>

#include <array>

#include "runtime/transport/host_memory.hpp"

namespace loadshare {
namespace {

/// A loop without data.
class Nothing final : public DataLayout {};

/// One worker and its master, on one thread.
struct Channel {
  Order chunk(Index first) {
    Order order;
    order.id = {static_cast<std::uint32_t>(first), 0};
    order.chunk = {first, 1};
    return order;
  }

  Nothing layout;
  ControlShape shape{.channels = 1, .prefetch = 3};
  PrivateMemory memory{ControlBlock::bytes(shape)};
  ControlBlock control{shape, memory.bytes().data()};
  SharedInput shared{layout, control};
  ChannelHub master{control, Waiter(WaitPolicy::nap)};
  ChannelWorker worker{WorkerId{0}, 0, control, shared, WaitPolicy::nap, std::make_unique<InPlace>(layout)};
};

TEST(Channels, CarryChunksOutAndReportsBackInOrder) {
  Channel channel;
  for (Index first = 0; first < 4; ++first) channel.master.give(0, channel.chunk(first));
  for (Index first = 0; first < 4; ++first) {
    const std::optional<Task> task = channel.worker.next();
    ASSERT_TRUE(task);
    EXPECT_EQ(task->chunk, (Chunk{first, 1}));
    channel.worker.done(*task, nullptr);
  }
  std::array<Event, 8> events;
  ASSERT_EQ(channel.master.poll(events), 4u);
  for (std::uint32_t i = 0; i < 4; ++i) EXPECT_EQ(events[i].report.id.slot, i);
}

TEST(Channels, AFailureBringsItsText) {
  Channel channel;
  channel.worker.failed(std::string(5000, 'x'));
  std::array<Event, 1> events;
  ASSERT_EQ(channel.master.poll(events), 1u);
  EXPECT_EQ(events[0].report.kind, Report::Kind::failed);
  EXPECT_EQ(channel.master.failure_text(0), std::string(failure_text_bytes - 1, 'x'));
}

// A run that failed or was interrupted must not compute a whole prefetch more before it ends.
TEST(Channels, ChunksStillQueuedWhenTheRunIsOverAreNotBegun) {
  Channel channel;
  for (Index first = 0; first < 3; ++first) channel.master.give(0, channel.chunk(first));
  ASSERT_TRUE(channel.worker.next());
  channel.master.stop();
  EXPECT_FALSE(channel.worker.next());
}

}  // namespace
}  // namespace loadshare
