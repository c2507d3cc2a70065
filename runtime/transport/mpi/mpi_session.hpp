#pragma once

#include <memory>
#include <vector>

#include "runtime/transport/channels.hpp"
#include "runtime/transport/mpi/message_hub.hpp"
#include "runtime/transport/mpi/message_worker.hpp"

namespace loadshare::mpi {

/// The master's end under MPI: channels to the workers that see its memory, messages to the others.
class MpiMaster final : public MasterEnd {
 public:
  MpiMaster(const Group& group, DataLayout& layout, ControlBlock& control, SharedInput& shared,
            const std::vector<WorkerId>& by_channel, const std::vector<WorkerId>& by_message, Waiter waiter,
            double capacity);

  std::size_t poll(std::span<Event> events) override;
  void wait(double limit_s) override;
  void give(WorkerId worker, const Assignment& assignment) override;
  void stop() override;
  std::string failure_text(WorkerId worker) override;
  std::optional<double> shared_input_done_s() const override { return sender_.done_s(); }

 private:
  static constexpr std::size_t no_channel = SIZE_MAX;

  SharedSender sender_;
  ChannelHub channels_;
  MessageHub messages_;
  const std::vector<WorkerId> by_channel_;
  std::vector<std::size_t> channel_of_;  // by worker
  PollNap nap_;
};

/// One run under MPI on one rank.
class MpiSession final : public Session {
 public:
  /// Bytes of the control block that this rank's host needs for a run.
  static std::size_t control_bytes(const Group& group, const RunPlan& plan, DataLayout& layout);
  /// Collective; returns when all ranks are ready. `control` is zeroed memory that all ranks of this host
  /// see.
  MpiSession(const Group& group, const RunPlan& plan, DataLayout& layout, std::span<std::byte> control);

  MasterEnd* master() override { return master_.get(); }
  std::span<const std::unique_ptr<WorkerEnd>> workers() override { return workers_; }
  bool needs_pump() const override { return message_worker_ != nullptr; }
  void pump() override { message_worker_->pump(); }
  WaitPolicy wait_policy() const override { return policy_; }

 private:
  void make_worker(const RunPlan& plan, DataLayout& layout);

  const Group& group_;
  std::vector<WorkerId> by_channel_;
  ControlBlock control_;
  SharedInput shared_;
  double capacity_;  // what each of this host's ranks may have of a processor
  WaitPolicy policy_;
  std::unique_ptr<MessageWorker> message_worker_;
  std::vector<std::unique_ptr<WorkerEnd>> workers_;
  std::unique_ptr<MpiMaster> master_;
};

}  // namespace loadshare::mpi
