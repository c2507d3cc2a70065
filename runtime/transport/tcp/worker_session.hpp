#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "runtime/host/clock.hpp"
#include "runtime/transport/channels.hpp"
#include "runtime/transport/host_memory.hpp"
#include "runtime/transport/tcp/lease.hpp"
#include "runtime/transport/tcp/master_line.hpp"
#include "runtime/transport/tcp/shared_copies.hpp"

namespace loadshare::tcp {

/// One run of this process's workers. Its own thread carries messages, theirs compute; between lies a channel
/// each. One that is alone carries them itself between its chunks, since to wake the other thread takes
/// longer than a short chunk; that one then only looks now and then whether a chunk takes long.
class WorkerSession final : public Session {
 public:
  /// Waits until the master has this run, too.
  WorkerSession(MasterLine& master, SharedCopies& copies, std::uint32_t run, std::size_t workers,
                const RunPlan& plan, DataLayout& layout);
  ~WorkerSession() override;

  MasterEnd* master() override { return nullptr; }
  std::span<const std::unique_ptr<WorkerEnd>> workers() override { return workers_; }
  bool needs_pump() const override { return true; }
  void pump() override;
  void leave() override;
  WaitPolicy wait_policy() const override { return policy_; }

 private:
  class CarryingEnd;

  /// A chunk that is here, or whose input is on its way.
  struct Taken {
    ChunkId id;
    Chunk chunk;
    std::uint32_t buffer;
    std::size_t received_bytes = 0;
    double asked_s = 0;
    std::optional<std::uint32_t> turn = {};  ///< in the channel, once the worker has it
    Recall recall = Recall::none;
    std::optional<Index> told = {};  ///< of its iterations, as done
  };
  struct Worker {
    explicit Worker(DataLayout& layout, std::size_t slots) : buffers(layout, slots) {}
    ChunkBuffers buffers;
    std::deque<Taken> tasks;  ///< oldest first
  };
  /// A result that leaves.
  struct Leaving {
    ReportMessage report = {};
    std::string why = {};  ///< of a failure
    ByteView result = {};
    std::uint32_t buffer = 0;
    std::size_t gone = 0;
  };

  void carry(WaitPolicy policy);
  bool is_carried_by_worker() const;
  void rest();
  void carry_until(WorkerEnd& end);
  void await_rest(WorkerEnd& end);
  void carry_after_chunk(WorkerEnd& end) noexcept;
  void throw_if_failed() const;
  double since_carried_s() const { return monotonic_s() - carried_at_s_.load(std::memory_order_relaxed); }
  void beat();
  void renew_lease();
  bool has_lease_run_out() { return control_.over().load(std::memory_order_acquire) != 0; }
  void leave_if_it_must();
  void take(const Frame& frame);
  Worker& worker_of(const TaskName& task);
  Taken* find(const TaskName& task);
  void take_begin(const Begin& begin);
  void take_order(const OrderMessage& order);
  void take_input(const InputPart& part, ByteView payload);
  std::span<std::byte> absent_piece(std::uint64_t number);
  void take_offer(const SharedOffer& offer);
  void take_shared(const SharedPart& part, ByteView payload);
  void have_shared(std::uint64_t piece);
  void take_recall(const RecallMessage& message);
  void hand_over(std::uint32_t local);
  void send_reports();
  void send_report(std::uint32_t local, const Report& report);
  bool send_more();
  void sent(std::uint64_t token);
  void tell_begun(std::uint32_t local);
  void tell_progress();
  void stop();

  MasterLine& master_;
  SharedCopies& copies_;
  std::uint32_t run_;
  Index iterations_;
  DataLayout& layout_;
  ControlShape shape_;
  PrivateMemory memory_;
  ControlBlock control_;
  SharedInput shared_;
  WaitPolicy policy_;
  const std::atomic<bool>* interrupted_;
  ChannelHub hub_;
  std::deque<Worker> own_;
  std::vector<std::unique_ptr<WorkerEnd>> workers_;
  std::deque<Leaving> leaving_;
  std::map<std::uint64_t, ContentHash> wanted_;  ///< pieces of the shared input
  std::size_t shared_bytes_ = 0;                 ///< of the piece that comes
  std::optional<std::uint32_t> first_worker_;
  std::optional<Error> must_leave_;  ///< why
  std::atomic<bool> is_over_ = false;
  double beats_at_s_ = 0;
  bool is_idle_ = false;  // as it said last

  std::mutex turn_;  // whose turn it is to carry, and with it all of the above
  std::atomic<bool> worker_waits_ = false;
  std::atomic<double> carried_at_s_ = 0;  // by the worker
  Doorbell needed_{};                     // the worker has a chunk, or the run is over
  std::exception_ptr failure_;            // the worker's own, while it carried after a chunk

  double lease_s_ = 0;         // from the master; 0: there is none
  bool awaits_lease_ = false;  // a chunk has arrived that may not be begun yet
  std::optional<Lease> lease_;
};

}  // namespace loadshare::tcp
