#pragma once

#include <optional>
#include <span>
#include <vector>

#include "runtime/transport/channels.hpp"
#include "runtime/transport/transport.hpp"

namespace loadshare {

/// Workers that only messages reach: the part of a master's end in which transports differ.
class Remote {
 public:
  virtual ~Remote() = default;
  /// As MasterEnd::poll, behind the first `taken` events, which are those of local workers. Called in every
  /// round.
  virtual std::size_t poll(std::span<Event> events, std::size_t taken) = 0;
  /// Waits until a remote or a local worker may have sent something, `limit_s` seconds at most.
  virtual void wait(ChannelHub& local, double limit_s) = 0;
  // As those of MasterEnd.
  virtual void give(WorkerId worker, const Assignment& assignment) = 0;
  virtual void recall(WorkerId worker, ChunkId id, Recall recall) = 0;
  virtual void publish(WorkerId worker, ChunkId id, Chunk part) = 0;
  virtual void release(WorkerId worker, ChunkId id) = 0;
  virtual void stop() = 0;
  virtual std::optional<double> shared_input_done_s() const = 0;
};

/// The workers that are present from the start, as events.
class PresentWorkers {
 public:
  /// Each is a process of its own, on a host that nothing is known of; or all are in the process of `all`.
  explicit PresentWorkers(std::size_t workers, std::optional<Newcomer> all = {})
      : workers_(workers), all_(std::move(all)) {}
  bool has_next() const { return next_ < workers_; }
  /// Returns how many events it wrote.
  std::size_t poll(std::span<Event> events);

 private:
  std::size_t workers_, next_ = 0;
  std::optional<Newcomer> all_;
};

/// The master's end of every transport: channels to the workers that see the master's memory, a Remote for
/// the others.
class MasterRouter : public MasterEnd {
 public:
  /// `by_channel`: the worker of each channel. `remote`: null if there are no others.
  MasterRouter(PresentWorkers present, ChannelMaster channels, std::vector<WorkerId> by_channel,
               Remote* remote = nullptr);

  std::size_t poll(std::span<Event> events) override;
  void wait(double limit_s) override;
  void give(WorkerId worker, const Assignment& assignment) override;
  void recall(WorkerId worker, ChunkId id, Recall recall) override;
  void publish(WorkerId worker, ChunkId id, Chunk part) override;
  void release(WorkerId worker, ChunkId id) override;
  void stop() override;
  std::optional<double> shared_input_done_s() const override;

 private:
  static constexpr std::size_t no_channel = SIZE_MAX;
  std::size_t channel_of(WorkerId worker) const {
    return to_number(worker) < channel_of_.size() ? channel_of_[to_number(worker)] : no_channel;
  }

  PresentWorkers present_;
  ChannelMaster channels_;
  std::vector<WorkerId> by_channel_;
  std::vector<std::size_t> channel_of_;  // by worker
  Remote* remote_;
  std::size_t rounds_ = 0, waits_ = 0;
};

/// The first `count` workers, as `by_channel` of a MasterRouter.
std::vector<WorkerId> first_workers(std::size_t count);

}  // namespace loadshare
