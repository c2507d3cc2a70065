#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "runtime/transport/aside_memory.hpp"
#include "runtime/transport/channel.hpp"
#include "runtime/transport/placement.hpp"
#include "runtime/transport/transport.hpp"

namespace loadshare {

/// The worker's side of a channel in shared memory.
class ChannelWorker final : public WorkerEnd {
 public:
  ChannelWorker(WorkerId worker, std::size_t channel, ControlBlock& control, SharedInput& shared,
                WaitPolicy policy, std::unique_ptr<Placement> placement);

  WorkerId worker() const override { return worker_; }
  bool has_next() override;
  std::optional<Task> next() override;
  std::optional<Task> next_here() override;
  void done(const Task& task, const Stamps* stamps) override;
  void failed(const Task& task, std::string_view text, std::optional<Index> at) override;
  const std::atomic<std::uint32_t>& over() const override { return control_.over(); }
  SharedInput& shared_input() override { return shared_; }

 private:
  bool is_over() const { return control_.over().load(std::memory_order_acquire) != 0; }
  std::optional<Task> take();
  bool find_memory(Task& task, const Order& order);
  void report(const Report& report);

  WorkerId worker_;
  ChannelMemory channel_;
  ControlBlock& control_;
  SharedInput& shared_;
  Waiter waiter_;
  std::unique_ptr<Placement> placement_;
  RingReader<Order> orders_;
  RingWriter<Report> reports_;
  std::uint32_t unreported_ = 0;  // taken, and neither done nor failed
};

/// The other side of all channels of one control block.
class ChannelHub {
 public:
  ChannelHub(ControlBlock& control, Waiter waiter);

  /// Reports that are there, each with its channel's number for a worker; one a channel, those first that
  /// were not looked at last time. Never blocks.
  std::size_t poll(std::span<Event> events);
  bool has_report() const;
  /// Returns the order's turn, by which `recall` and TaskSignals know it.
  std::uint32_t give(std::size_t channel, const Order& order);
  void recall(std::size_t channel, std::uint32_t turn, Recall recall);
  /// Ends the run for every channel.
  void stop();
  /// Why the channel's worker failed; once for each report that it did.
  Failure take_failure(std::size_t channel);
  /// Waits for a report by the policy.
  void wait(double limit_s);
  /// The same where something else must be polled every `limit_s`: sleeps at once instead of yielding first.
  void nap(double limit_s);
  const ChannelMemory& channel(std::size_t channel) const { return control_.channel(channel); }

 private:
  ControlBlock& control_;
  Waiter waiter_;
  std::vector<RingWriter<Order>> orders_;
  std::vector<RingReader<Report>> reports_;
  std::size_t next_ = 0;  // channel to be looked at
};

/// The master's side of the workers that see its memory. Methods as those of MasterEnd, by channel.
class ChannelMaster {
 public:
  /// `aside`: where results land that do not land in place; AsideMemory::bytes_for.
  ChannelMaster(ControlBlock& control, Waiter waiter, DataLayout& layout, std::span<std::byte> aside);

  ChannelHub& hub() { return hub_; }
  /// `by_channel`: each channel's worker.
  std::size_t poll(std::span<Event> events, std::span<const WorkerId> by_channel);
  /// Reads how far the workers are, some times a second, for the next `poll`.
  void look();
  void give(std::size_t channel, const Assignment& assignment);
  void recall(std::size_t channel, ChunkId id, Recall recall);
  void publish(std::size_t channel, ChunkId id, Chunk part);
  void release(std::size_t channel, ChunkId id);

 private:
  struct Given {
    ChunkId id;
    std::uint32_t turn = 0;
    Chunk chunk;
    std::uint64_t place = Order::in_place;
  };
  /// Waits for room to land in.
  struct Parked {
    std::size_t channel;
    Assignment assignment;
    Recall recall = Recall::none;
  };

  bool try_give(std::size_t channel, const Assignment& assignment);
  Given* find(std::size_t channel, ChunkId id);
  void look_at(std::size_t channel);

  ChannelHub hub_;
  DataLayout& layout_;
  AsideMemory aside_;
  std::vector<std::vector<Given>> given_;  // by channel, and by turn, as the ring of orders
  std::deque<Parked> parked_;
  std::deque<Event> progress_;  // workers as channels
  double looks_at_s_ = 0;
};

}  // namespace loadshare
