#include "runtime/transport/channel.hpp"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "runtime/transport/host_memory.hpp"

namespace loadshare {
namespace {

TEST(Ring, HandsOverEveryMessageOnceAndInOrder) {
  constexpr std::uint32_t capacity = 4;
  constexpr Index messages = 20000;
  std::vector<RingSlot<Order>> orders(capacity), answers(capacity);
  std::jthread echo([&] {
    RingReader<Order> in(orders.data(), capacity);
    RingWriter<Order> out(answers.data(), capacity);
    for (Index i = 0; i < messages; ++i) {
      while (!in.has_message()) std::this_thread::yield();
      out.push(in.pop());
    }
  });
  RingWriter<Order> out(orders.data(), capacity);
  RingReader<Order> in(answers.data(), capacity);
  Index sent = 0;
  for (Index received = 0; received < messages; ++received) {
    // As the protocol has it: never more under way than the ring has room for.
    for (; sent < messages && sent < received + 3; ++sent) {
      Order order;
      order.chunk = {sent, 2 * sent};
      out.push(order);
    }
    while (!in.has_message()) std::this_thread::yield();
    ASSERT_EQ(in.pop().chunk, (Chunk{received, 2 * received}));
  }
  EXPECT_FALSE(in.has_message());
}

TEST(ControlBlock, PartsDoNotOverlapAndFit) {
  const ControlShape shape{.channels = 3, .prefetch = 5, .pieces = 17};
  PrivateMemory memory(ControlBlock::bytes(shape));
  ControlBlock control(shape, memory.bytes().data());
  control.over() = 0xffffffff;
  for (auto& piece : control.pieces()) piece = 0xffffffff;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::uint32_t slot = 0; slot < control.channel(i).capacity; ++slot) {
      EXPECT_EQ(control.channel(i).orders[slot].turn, 0u);
      EXPECT_EQ(control.channel(i).reports[slot].turn, 0u);
      control.channel(i).reports[slot].turn = 0xffffffff;
    }
  EXPECT_GE(control.channel(0).capacity, 7u) << "prefetch + 1 chunks and a stop must fit";
  const auto* end = reinterpret_cast<std::byte*>(control.channel(2).reports + control.channel(2).capacity);
  EXPECT_LE(end, memory.bytes().data() + memory.bytes().size());
}

TEST(TaskSignals, TellTheProgressOfOneChunkAndNotOfAnother) {
  const ControlShape shape{.channels = 1};
  PrivateMemory memory(ControlBlock::bytes(shape));
  ControlBlock control(shape, memory.bytes().data());
  const ChannelMemory& channel = control.channel(0);
  EXPECT_EQ(TaskSignals::progress_of(*channel.progress, 0), std::nullopt);
  constexpr Index most = Index{1} << 40;
  for (const std::uint32_t turn : {0u, 1u, 1'000'000u, UINT32_MAX}) {
    channel.signals(turn).progressed(most);
    EXPECT_EQ(TaskSignals::progress_of(*channel.progress, turn), most);
    EXPECT_EQ(TaskSignals::progress_of(*channel.progress, turn + 1), std::nullopt);
  }
}

TEST(Failure, KeepsAsMuchOfALongTextAsItHasRoomFor) {
  const Failure failure = Failure::of(std::string(5000, 'x'), 7);
  EXPECT_EQ(failure.iteration(), 7);
  EXPECT_EQ(failure.text.data(), std::string(failure.text.size() - 1, 'x'));
  EXPECT_EQ(Failure::of("", {}).iteration(), std::nullopt);
}

}  // namespace
}  // namespace loadshare
