#pragma once

#include <memory>
#include <vector>

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
  bool has_next() const override { return orders_.has_message(); }
  bool may_take_several() const override { return placement_->has_room_for_several(); }
  std::optional<Task> next() override;
  void done(const Task& task, const Stamps* stamps) override;
  void failed(std::string_view text) override;
  const std::atomic<std::uint32_t>& over() const override { return control_.over(); }
  SharedInput& shared_input() override { return shared_; }

 private:
  void report(const Report& report);

  WorkerId worker_;
  ChannelMemory channel_;
  ControlBlock& control_;
  SharedInput& shared_;
  Waiter waiter_;
  std::unique_ptr<Placement> placement_;
  RingReader<Order> orders_;
  RingWriter<Report> reports_;
};

/// How a worker that sees the application's memory places its results under a plan.
std::unique_ptr<Placement> make_shared_placement(const RunPlan& plan, DataLayout& layout,
                                                 ControlBlock& control);

/// The master's side of all channels of its host.
class ChannelHub {
 public:
  ChannelHub(ControlBlock& control, Waiter waiter);

  /// Reports that are there, as (channel, report); never blocks.
  std::size_t poll(std::span<Event> events);
  bool has_report() const;
  void give(std::size_t channel, const Order& order);
  /// Ends the run for every channel.
  void stop();
  std::string failure_text(std::size_t channel) const;
  /// Waits for a report by the policy.
  void wait(double limit_s);
  /// The same where something else must be polled every `limit_s`: sleeps at once instead of yielding first.
  void nap(double limit_s);

 private:
  ControlBlock& control_;
  Waiter waiter_;
  std::vector<RingWriter<Order>> orders_;
  std::vector<RingReader<Report>> reports_;
};

}  // namespace loadshare
