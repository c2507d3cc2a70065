#pragma once

#include <vector>

#include "runtime/transport/control_block.hpp"
#include "runtime/transport/transport.hpp"

namespace loadshare {

/// Whether a worker writes its results straight to their place, or into memory of its own until it is known
/// to be the first.
enum class Placement { in_place, own_buffer };

/// The worker's side of a lane in shared memory.
class LaneWorker final : public WorkerEnd {
 public:
  LaneWorker(WorkerId worker, std::size_t lane, ControlBlock& control, Cargo& cargo, SharedInput& shared,
             WaitPolicy policy, Placement placement);

  WorkerId worker() const override { return worker_; }
  bool has_next() const override { return orders_.has_message(); }
  std::optional<Task> next() override;
  void done(const Task& task, const Stamps* stamps) override;
  void failed(const Task& task, std::string_view text) override;
  const std::atomic<std::uint32_t>& over() const override { return control_.over(); }
  SharedInput& shared_input() override { return shared_; }

 private:
  void report(const Report& report);
  std::span<std::byte> output_for(Chunk chunk);
  bool place_if_first(const Task& task);

  WorkerId worker_;
  LaneMemory lane_;
  ControlBlock& control_;
  Cargo& cargo_;
  SharedInput& shared_;
  Waiter waiter_;
  Placement placement_;
  RingReader<Order> orders_;
  RingWriter<Report> reports_;
  std::vector<std::byte> own_output_;
};

/// The master's side of all lanes of its host.
class LaneHub {
 public:
  LaneHub(ControlBlock& control, Waiter waiter);

  /// Reports that are there, as (lane, report); never blocks.
  std::size_t poll(std::span<Event> events);
  bool has_report() const;
  void give(std::size_t lane, const Order& order);
  /// Ends the run for every lane.
  void stop();
  std::string failure_text(std::size_t lane) const;
  void wait(double limit_s);

 private:
  ControlBlock& control_;
  Waiter waiter_;
  std::vector<RingWriter<Order>> orders_;
  std::vector<RingReader<Report>> reports_;
};

}  // namespace loadshare
