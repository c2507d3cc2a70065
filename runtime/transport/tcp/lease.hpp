#pragma once

#include <atomic>
#include <functional>
#include <limits>
#include <stop_token>

#include "runtime/host/clock.hpp"
#include "runtime/host/threads.hpp"

namespace loadshare::tcp {

// Where a loop's chunks are never computed by two (Copies::never), a worker has them under a lease: so long
// it may compute without reaching the master. It counts from when the worker sent the last message that the
// master has answered, the master from when the last message came, which is later; so the worker's lease has
// always run out first, however long messages take and whatever the two clocks say.

/// At the worker: then a body that asks whether it is wanted hears that it is not; one that has not returned
/// a little later is ended with its process.
constexpr double ended_after_s(double lease_s) {
  return 1.125 * lease_s;
}
/// At the master: then the worker has stopped. Between lies what it takes a busy host to end a process.
constexpr double given_again_after_s(double lease_s) {
  return 1.25 * lease_s;
}

/// The lease of a worker's process, and the thread that watches it: what carries messages may itself be held
/// up.
class Lease {
 public:
  /// `run_out` is called when it has run out while the process has chunks, `end_process` when they are to be
  /// ended; both by the watching thread, and neither may throw. Throws Error(run_failed) where the system
  /// starts no thread.
  Lease(double lease_s, std::function<void()> run_out, std::function<void()> end_process);
  ~Lease() { stop_.request_stop(); }
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;

  /// The master has answered what was sent at `from_s`. Too late where it has run out.
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
  CheckedThread watcher_;  // the last: it uses the rest
};

}  // namespace loadshare::tcp
