#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/types.hpp"
#include "runtime/host/threads.hpp"
#include "runtime/load/load_plan.hpp"

namespace loadshare {

/// Limits a busy thread to a share of the processor. The thread charges its processor time from time to time.
/// If it has exceeded its share, it is given a time to rest. Time that other programs withheld may be made up
/// for, within a limit. Pure. All times are in seconds: `now_s` of any monotonic clock, `cpu_s` the thread's
/// processor time (thread_cpu_s).
class Budget {
 public:
  /// Both limits are processor times.
  Budget(double most_ahead_s, double most_behind_s)
      : most_ahead_s_(most_ahead_s), most_behind_s_(most_behind_s) {}

  /// From now on the thread may use the part `rate` of the time, in (0, 1]. An existing advance or debt is
  /// kept.
  void begin(double rate, double now_s, double cpu_s);
  /// Charges the processor time since the last call. Returns for how long to rest, usually 0. Call after
  /// begin().
  double charge(double now_s, double cpu_s);

 private:
  double most_ahead_s_;
  double most_behind_s_;
  double rate_ = 0;
  double last_s_ = 0;
  double last_cpu_s_ = 0;
  double left_s_ = 0;  // processor time still allowed; below 0: used in advance
};

/// The current level of a load. One thread sets it by the clock; any number of spinners read it.
class LoadLevel {
 public:
  /// Sets the share of the processor; the change was due at `due_s` (monotonic_s).
  void set(double share, double due_s) {
    due_s_.store(due_s, std::memory_order_relaxed);
    share_.store(share, std::memory_order_relaxed);
    advance();
  }
  /// Ends the spinners.
  void end() {
    has_ended_.store(true, std::memory_order_relaxed);
    advance();
  }

  /// Returns the number of changes. A spinner reads it before the level, and again to check whether the level
  /// is still current.
  std::uint32_t version() const { return version_.load(std::memory_order_acquire); }
  /// Sleeps until the version differs from this one.
  void await_change(std::uint32_t version) const { version_.wait(version, std::memory_order_acquire); }
  double share() const { return share_.load(std::memory_order_relaxed); }
  double due_s() const { return due_s_.load(std::memory_order_relaxed); }
  bool has_ended() const { return has_ended_.load(std::memory_order_relaxed); }

 private:
  void advance() {
    version_.fetch_add(1, std::memory_order_release);
    version_.notify_all();
  }

  std::atomic<std::uint32_t> version_ = 0;
  std::atomic<double> share_ = 0;
  std::atomic<double> due_s_ = 0;
  std::atomic<bool> has_ended_ = false;
};

/// The processor on which a load burns time.
struct LoadPlace {
  int cpu = 0;          ///< the load is pinned to this processor
  double capacity = 1;  ///< the available part of it: less than 1 under a control group's limit
};

/// A thread that burns processor time according to the level. It competes with a worker on the same
/// processor, where one spinner gets half and two get two thirds. The share decides how many spinners are
/// active, and each limits itself by its own processor clock.
class Spinner {
 public:
  /// Starts the thread. `number` counts from 0; the load has as many spinners as its largest share needs.
  /// `level` must outlive it. Throws Error if the system refuses the thread.
  Spinner(const LoadLevel& level, int number, const LoadPlace& place);

  /// Waits for the thread's end after the level has ended. Call before destruction.
  void wait() noexcept { thread_.wait(); }
  /// Likewise, and rethrows the thread's exception.
  void join() { thread_.join(); }
  /// Returns the processor time burnt, in seconds. Call after the end.
  double cpu_s() const { return cpu_s_; }
  /// Returns, for each time that the load came on, how many seconds late the spinner first ran. Only the
  /// first spinner measures this. Call after the end.
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
  CheckedThread thread_;  // last member: the thread uses the others
};

/// Measurements of a load by itself; times in seconds.
struct LoadMeasure {
  double on_s = 0;        ///< time while it was on
  double asked_s = 0;     ///< processor time that it should have taken, of a whole processor
  double cpu_s = 0;       ///< processor time taken
  double late_p99_s = 0;  ///< delay of its changes, 99th percentile
  double late_max_s = 0;  ///< largest delay
  Index cycles = 0;       ///< number of times that it came on
};

/// Carries out a load plan in this process: competes with the programs on its processor. Its threads run
/// until stop() or its destruction. Used by one thread.
class Injector {
 public:
  /// Starts the plan; `zero_s` is its time zero on this host's clock (monotonic_s). Throws Error if the
  /// system refuses a thread.
  Injector(const LoadPlan& plan, const LoadPlace& place, double zero_s);
  ~Injector();
  Injector(const Injector&) = delete;
  Injector& operator=(const Injector&) = delete;

  /// Ends the load at any point of its plan, and returns its measurements. Call once; takes some 5 ms at
  /// most. Rethrows an exception of its threads.
  LoadMeasure stop();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace loadshare
