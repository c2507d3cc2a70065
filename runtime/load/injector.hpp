#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/types.hpp"
#include "runtime/host/threads.hpp"
#include "runtime/load/load_plan.hpp"

namespace loadshare {

/// Keeps a busy thread to a share of the processor. The thread charges what it has used every so often, and
/// gets back for how long to rest, where it has used more than its share. What others kept it from using it
/// may make up for, within a limit. Pure; all times in seconds, `now_s` of any clock that never goes back,
/// `cpu_s` the thread's own processor time (thread_cpu_s).
class Budget {
 public:
  /// `most_ahead_s` and `most_behind_s` are of processor time.
  Budget(double most_ahead_s, double most_behind_s)
      : most_ahead_s_(most_ahead_s), most_behind_s_(most_behind_s) {}

  /// From now on the thread may use `rate` of the time, in (0, 1]; what it is ahead or behind is kept.
  void begin(double rate, double now_s, double cpu_s);
  /// Charges the processor time used since the last call; returns for how long to rest, 0 mostly. Not before
  /// begin().
  double charge(double now_s, double cpu_s);

 private:
  double most_ahead_s_;
  double most_behind_s_;
  double rate_ = 0;
  double last_s_ = 0;
  double last_cpu_s_ = 0;
  double left_s_ = 0;  // of processor time; below 0: ahead
};

/// How busy a load is to be at present: set by the thread that watches the clock, followed by the spinners,
/// of whom any number may read at the same time.
class LoadLevel {
 public:
  /// From now on `share` of the processor; it was due at `due_s` (monotonic_s).
  void set(double share, double due_s) {
    due_s_.store(due_s, std::memory_order_relaxed);
    share_.store(share, std::memory_order_relaxed);
    advance();
  }
  /// Lets the spinners end.
  void end() {
    is_over_.store(true, std::memory_order_relaxed);
    advance();
  }

  /// Counts the changes. A spinner reads it before the level, and again to find out whether the level holds.
  std::uint32_t version() const { return version_.load(std::memory_order_acquire); }
  /// Waits, asleep, while that is the version.
  void await_change(std::uint32_t version) const { version_.wait(version, std::memory_order_acquire); }
  double share() const { return share_.load(std::memory_order_relaxed); }
  double due_s() const { return due_s_.load(std::memory_order_relaxed); }
  bool is_over() const { return is_over_.load(std::memory_order_relaxed); }

 private:
  void advance() {
    version_.fetch_add(1, std::memory_order_release);
    version_.notify_all();
  }

  std::atomic<std::uint32_t> version_ = 0;
  std::atomic<double> share_ = 0;
  std::atomic<double> due_s_ = 0;
  std::atomic<bool> is_over_ = false;
};

/// Where a load burns processor time.
struct LoadPlace {
  int cpu = 0;          ///< the processor that it stays on
  double capacity = 1;  ///< what may be had of it: less than 1 under a control group's limit
};

/// A thread that burns processor time, as much of it as the level says. Beside a worker on the same processor
/// one spinner gets half of it, two get two thirds: as many burn as the share takes, and each keeps to its
/// part by its own processor clock.
class Spinner {
 public:
  /// Starts the thread. `number`: counted from 0; the load has as many as its largest share takes. `level`
  /// must outlive it. Throws Error if the system refuses the thread.
  Spinner(const LoadLevel& level, int number, const LoadPlace& place);

  /// Waits for its end, once the level has ended; to be called before it is destroyed.
  void wait() noexcept { thread_.wait(); }
  /// The same, and rethrows the exception of its thread.
  void join() { thread_.join(); }
  /// Processor time burnt, in seconds; once it has ended.
  double cpu_s() const { return cpu_s_; }
  /// How late it first ran, in seconds, each time the load came on; once it has ended. Only the first spinner
  /// measures it.
  const std::vector<double>& lateness_s() const { return lateness_s_; }

 private:
  void run();
  void await_change(std::uint32_t version) const;
  void burn(std::uint32_t version, double rate);

  const LoadLevel& level_;
  int number_;
  LoadPlace place_;
  Budget budget_;
  double cpu_s_ = 0;
  std::vector<double> lateness_s_;
  CheckedThread thread_;  // last: it uses the others
};

/// What a load did, as it measured it itself; times in seconds.
struct LoadMeasure {
  double on_s = 0;        ///< how long it was on
  double asked_s = 0;     ///< of a processor that is its own, what it was to take of that time
  double cpu_s = 0;       ///< processor time that it took
  double late_p99_s = 0;  ///< how late its changes came, at the 99th percentile
  double late_max_s = 0;  ///< and at worst
  Index cycles = 0;       ///< how often it came on
};

/// Carries out a plan: competes with whatever runs on its processor, in this process. Its threads begin with
/// it and end with stop(), or with it. Used by one thread.
class Injector {
 public:
  /// `zero_s`: the plan's time zero on this host's clock (monotonic_s). Throws Error if the system refuses a
  /// thread.
  Injector(const LoadPlan& plan, const LoadPlace& place, double zero_s);
  ~Injector();
  Injector(const Injector&) = delete;
  Injector& operator=(const Injector&) = delete;

  /// Ends it, wherever it is in its plan, and returns its measurements. Call once; takes some 5 ms at most.
  /// Rethrows an exception of one of its threads.
  LoadMeasure stop();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace loadshare
