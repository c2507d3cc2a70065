#include "runtime/transport/channels.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "runtime/transport/host_memory.hpp"
#include "tests/no_text.hpp"

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
  ChannelWorker worker{WorkerId{0},     0,
                       control,         shared,
                       WaitPolicy::nap, std::make_unique<InSharedMemory>(layout, std::span<std::byte>{})};
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
  for (std::uint32_t i = 0; i < 4; ++i) {
    ASSERT_EQ(channel.master.poll(events), 1u) << "one a round";
    EXPECT_EQ(events[0].report.id.slot, i);
  }
  EXPECT_EQ(channel.master.poll(events), 0u);
}

TEST(Channels, AFailureBringsItsTextAndTheWorkerGoesOn) {
  Channel channel;
  std::array<Event, 1> events;
  for (Index first = 0; first < 2; ++first) channel.master.give(0, channel.chunk(first));
  for (Index first = 0; first < 2; ++first) {
    const std::optional<Task> task = channel.worker.next();
    ASSERT_TRUE(task);
    channel.worker.failed(*task, "trouble " + std::to_string(first), first);
    ASSERT_EQ(channel.master.poll(events), 1u);
    EXPECT_EQ(events[0].report.kind, Report::Kind::failed);
    const Failure failure = channel.master.take_failure(0);
    EXPECT_EQ(failure.text.data(), "trouble " + std::to_string(first));
    EXPECT_EQ(failure.iteration(), first);
  }
}

TEST(Channels, AFailureIsNotWrittenOverTheLastThatNobodyHasTaken) {
  Channel channel;
  for (Index first = 0; first < 2; ++first) channel.master.give(0, channel.chunk(first));
  std::jthread worker([&] {
    for (const char* text : {"first", "second"}) channel.worker.failed(*channel.worker.next(), text, {});
  });
  for (const char* text : {"first", "second"}) {
    channel.master.wait(1);
    std::array<Event, 2> events;
    ASSERT_EQ(channel.master.poll(events), 1u);
    EXPECT_STREQ(channel.master.take_failure(0).text.data(), text);
  }
}

TEST(Channels, WhatIsRecalledBeforeItIsBegunComesBack) {
  Channel channel;
  std::array<std::uint32_t, 3> turns{};
  for (std::uint32_t i = 0; i < 3; ++i) turns[i] = channel.master.give(0, channel.chunk(i));
  const std::optional<Task> begun = channel.worker.next();
  ASSERT_TRUE(begun);
  for (const std::uint32_t turn : {turns[0], turns[1]}) channel.master.recall(0, turn, Recall::not_begun);
  EXPECT_FALSE(begun->signals.is_unwanted()) << "it was begun";
  channel.worker.done(*begun, nullptr);
  const std::optional<Task> last = channel.worker.next();
  ASSERT_TRUE(last);
  EXPECT_EQ(last->chunk.first, 2);
  std::array<Event, 1> events;
  for (const auto kind : {Report::Kind::done, Report::Kind::handed_back}) {
    ASSERT_EQ(channel.master.poll(events), 1u);
    EXPECT_EQ(events[0].report.kind, kind);
  }
  EXPECT_EQ(events[0].report.id.slot, 1u);
}

// Both ends take them to come back in their order.
TEST(Channels, WhatIsRecalledDoesNotComeBackBeforeWhatWasTakenEarlier) {
  Channel channel;
  std::array<std::uint32_t, 3> turns{};
  for (std::uint32_t i = 0; i < 3; ++i) turns[i] = channel.master.give(0, channel.chunk(i));
  const std::optional<Task> first = channel.worker.next(), second = channel.worker.next();
  ASSERT_TRUE(first && second);
  channel.master.recall(0, turns[2], Recall::unwanted);
  EXPECT_FALSE(channel.worker.has_next());
  std::array<Event, 1> events;
  EXPECT_EQ(channel.master.poll(events), 0u);
  for (const Task& task : {*first, *second}) channel.worker.done(task, nullptr);
  EXPECT_FALSE(channel.worker.has_next());
  for (std::uint32_t i = 0; i < 3; ++i) {
    ASSERT_EQ(channel.master.poll(events), 1u);
    EXPECT_EQ(events[0].report.id.slot, i);
  }
  EXPECT_EQ(events[0].report.kind, Report::Kind::handed_back);
}

// A wait would last forever, because the recalled chunk goes back only behind the one that was taken.
TEST(Channels, TakingASecondChunkDoesNotWaitForARecalledOne) {
  Channel channel;
  channel.master.give(0, channel.chunk(0));
  const std::optional<Task> first = channel.worker.next();
  ASSERT_TRUE(first);
  EXPECT_FALSE(channel.worker.next_here()) << "there is none yet";
  const std::uint32_t turn = channel.master.give(0, channel.chunk(1));
  ASSERT_TRUE(channel.worker.has_next());
  channel.master.recall(0, turn, Recall::not_begun);
  EXPECT_FALSE(channel.worker.next_here());
  channel.worker.done(*first, nullptr);
  channel.master.give(0, channel.chunk(2));
  const std::optional<Task> third = channel.worker.next();
  ASSERT_TRUE(third);
  EXPECT_EQ(third->chunk.first, 2);
}

TEST(Channels, TakingASecondChunkLeavesTheStop) {
  Channel channel;
  channel.master.give(0, channel.chunk(0));
  ASSERT_TRUE(channel.worker.next());
  channel.master.give(0, channel.chunk(1));
  channel.master.stop();
  EXPECT_FALSE(channel.worker.next_here());
  for (int time = 0; time < 2; ++time) EXPECT_FALSE(channel.worker.next());
}

/// Throws when asked for the data of a chunk: an exception without a text, or no exception.
class Placeless final : public DataLayout {
 public:
  std::size_t input_bytes(Chunk) const override { return 8; }
  std::span<const std::byte> input(Chunk chunk) const override {
    if (chunk.first == 0) throw test::NoText();
    throw 42;
  }
};

TEST(Channels, AChunkWhoseDataCannotBeHadFailsWhateverWasThrown) {
  Channel channel;
  Placeless layout;
  ChannelWorker worker(WorkerId{0}, 0, channel.control, channel.shared, WaitPolicy::nap,
                       std::make_unique<InSharedMemory>(layout, std::span<std::byte>{}));
  std::jthread computing([&] { EXPECT_FALSE(worker.next()); });
  for (const char* text : {"an exception without a text", "an exception of unknown type"}) {
    channel.master.give(0, channel.chunk(text[13] == 'w' ? 0 : 1));
    std::array<Event, 1> events;
    while (channel.master.poll(events) == 0) channel.master.wait(1);
    EXPECT_EQ(events[0].report.kind, Report::Kind::failed);
    EXPECT_STREQ(channel.master.take_failure(0).text.data(), text);
  }
  channel.master.stop();
}

TEST(Channels, ARecallConcernsOneChunkAndNotTheNextAtItsPlace) {
  Channel channel;
  for (Index first = 0; first < 100; ++first) {
    const std::uint32_t turn = channel.master.give(0, channel.chunk(first));
    const std::optional<Task> task = channel.worker.next();
    ASSERT_TRUE(task);
    EXPECT_FALSE(task->signals.is_unwanted());
    channel.master.recall(0, turn, Recall::unwanted);
    EXPECT_TRUE(task->signals.is_unwanted());
    channel.worker.done(*task, nullptr);
    std::array<Event, 1> events;
    ASSERT_EQ(channel.master.poll(events), 1u);
  }
}

// Nobody waits for more than two rounds, though the first few could fill every one of them.
TEST(Channels, OfManyThatAlwaysHaveSomethingNoneIsForgotten) {
  constexpr std::size_t workers = 64;
  Nothing layout;
  const ControlShape shape{.channels = workers, .prefetch = 3};
  PrivateMemory memory(ControlBlock::bytes(shape));
  ControlBlock control(shape, memory.bytes().data());
  ChannelHub master(control, Waiter(WaitPolicy::nap));
  std::vector<RingWriter<Report>> reports;
  for (std::size_t i = 0; i < workers; ++i)
    reports.emplace_back(control.channel(i).reports, control.channel(i).capacity);
  for (auto& ring : reports) ring.push({});
  std::array<Event, workers / 2 + 1> events;
  std::vector<int> heard(workers, 0);
  for (int round = 1; round <= 100; ++round) {
    const std::size_t count = master.poll(events);
    ASSERT_EQ(count, events.size());
    for (const Event& event : events) {
      const std::size_t worker = to_number(event.worker);
      EXPECT_LE(round - std::exchange(heard[worker], round), 2) << worker;
      reports[worker].push({});
    }
  }
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
