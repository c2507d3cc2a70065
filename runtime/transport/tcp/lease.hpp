#pragma once

#include <atomic>
#include <functional>
#include <limits>
#include <stop_token>

#include "runtime/host/clock.hpp"
#include "runtime/host/threads.hpp"

namespace loadshare::tcp {

// If copies are never made (Copies::never), a worker holds its chunks under a lease: the time that it may
// compute without reaching the master. The worker counts from the time at which it sent the last message that
// the master has answered. The master counts from the time at which the last message arrived, which is later.
// So the worker's lease always runs out first, however long messages take and whatever the two clocks say.

/// At the worker. When the lease runs out, a body that asks learns that it is cancelled. At this time, a
/// little later, a body that still runs is ended with its process.
constexpr double ended_after_s(double lease_s) {
  return 1.125 * lease_s;
}
/// At the master. By this time the worker has stopped; the difference is time for a busy host to end a
/// process.
constexpr double given_again_after_s(double lease_s) {
  return 1.25 * lease_s;
}

/// The lease of a worker's process, and the thread that watches it, because the thread that carries messages
/// may itself be held up.
class Lease {
 public:
  /// The watching thread calls `run_out` when the lease has run out while the process has chunks, and
  /// `end_process` when they must be ended. Neither may throw. Throws Error(run_failed) if the system starts
  /// no thread.
  Lease(double lease_s, std::function<void()> run_out, std::function<void()> end_process);
  ~Lease() { stop_.request_stop(); }
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;

  /// The master has answered the message that was sent at `from_s`. Has no effect once the lease has run out.
  void renew(double from_s);
  /// Whether a chunk may be begun.
  bool is_valid() const { return now_s() < from_s_ + lease_s_; }
  /// A chunk is given to a worker, or came back from it.
  void took() { ++chunks_; }
  void gave_back() { --chunks_; }

  /// A suspended machine's lease runs out as well.
  static double now_s() { return monotonic_suspended_s(); }

 private:
  void watch(const std::stop_token& stop);

  double lease_s_;
  std::function<void()> run_out_, end_process_;
  std::atomic<double> from_s_ = -std::numeric_limits<double>::infinity();
  std::atomic<int> chunks_ = 0;
  std::atomic<bool> has_run_out_ = false;
  std::stop_source stop_;
  CheckedThread watcher_;  // last: it uses the others
};

}  // namespace loadshare::tcp
