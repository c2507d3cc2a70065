#pragma once

#include <atomic>
#include <deque>
#include <exception>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "runtime/transport/channels.hpp"
#include "runtime/transport/host_memory.hpp"
#include "runtime/transport/mpi/group.hpp"
#include "runtime/transport/mpi/messages.hpp"
#include "runtime/transport/mpi/poll_nap.hpp"
#include "runtime/transport/mpi/shared_broadcast.hpp"

namespace loadshare::mpi {

/// A worker that is reached by messages: one thread carries them (`pump`), another computes. Between the two
/// lies a channel like those of the master's host. So the next chunk's input arrives, and the last one's
/// result leaves, while the worker computes. Where MPI lets threads take turns, the one that computes carries
/// them itself between its chunks, since to wake the pumping thread takes longer than a short chunk; the
/// pumping thread then only looks now and then whether a chunk takes long, and carries during that.
class MessageWorker {
 public:
  MessageWorker(const Group& group, DataLayout& layout, ControlBlock& host_control, SharedInput& shared,
                std::size_t prefetch, WorkerId worker, WaitPolicy policy, double capacity);

  std::unique_ptr<WorkerEnd> take_end();
  /// Carries messages until the master says stop and all that was sent has gone.
  void pump();

 private:
  class CarryingEnd;

  struct Incoming {
    Order order;
    Payload input;
    double asked_s = 0;  // when the order was here, and the input began to be waited for
    Recall recall = Recall::none;
  };
  /// A chunk that the worker's thread has.
  struct Given {
    ChunkId id;
    std::uint32_t turn = 0;  // in the channel
    std::uint32_t buffer = 0;
    Index iterations = 0;
  };
  /// What was said of a chunk that the worker computes.
  struct Told {
    std::uint32_t turn = UINT32_MAX;
    Index done = 0;
    bool operator==(const Told&) const = default;
  };
  struct Outgoing {
    Report report;
    Failure failure;
    std::optional<std::uint32_t> buffer = std::nullopt;  // of the chunk that is reported on
    Payload header, payload;
    double begun_s = 0;  // 0: there is no result to move
    bool is_complete() { return header.is_complete() && payload.is_complete(); }
  };

  bool carry();
  bool carry_results();
  bool is_carried_by_worker() const;
  void rest();
  void doze(double seconds);
  void carry_after_chunk(const double* ended_s, bool has_more) noexcept;
  void throw_if_failed() const;
  void carry_until(WorkerEnd& end);
  bool take_orders();
  bool take_order(const Order& order);
  void recall(ChunkId id, Recall recall);
  bool take_chunk(const Order& order);
  bool hand_over_inputs();
  bool send_reports();
  bool reap_sends();
  Outgoing& send(const Report& report);
  Outgoing& fresh_outgoing();
  void send_outcome(const Report& report);
  void tell_progress();
  void stop(const Order& order);
  bool expects_message() const;
  bool is_quiet() const;

  const Group& group_;
  double capacity_;  // what this rank may have of a processor
  ControlBlock& host_control_;
  ChunkBuffers buffers_;
  ControlShape channel_shape_;
  PrivateMemory channel_memory_;
  ControlBlock channel_control_;
  Waiter waiter_;
  ChannelHub channel_;
  std::unique_ptr<WorkerEnd> end_;
  std::unique_ptr<SharedRelay> relay_;  // on a host's leader, where there is a shared input
  RequestSet order_requests_;
  Inbox<Order> orders_;
  std::deque<Incoming> incoming_;
  std::deque<Given> computing_;  // oldest first
  std::list<Outgoing> outgoing_, spare_;
  double ordered_s_ = 0;  // when the last order came
  double moving_s_ = 0;   // spent on results since the last chunk was handed over
  Told told_;             // what the master was told last
  double tells_at_s_ = 0;
  bool is_stopped_ = false;

  std::mutex turn_;  // whose turn it is to call MPI, and with it all of the above
  std::atomic<bool> worker_waits_ = false;
  Doorbell needed_{};                     // the worker has a chunk, or the run is over
  std::exception_ptr failure_;            // the worker's own, while it carried after a chunk
  std::atomic<double> carried_at_s_ = 0;  // by the worker
  PollNap wait_;                          // the worker's
};

}  // namespace loadshare::mpi
