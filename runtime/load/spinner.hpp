#pragma once

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

#include "runtime/load/budget.hpp"

namespace loadshare {

/// How busy a load is to be at present: set by the thread that watches the clock, followed by the spinners.
class LoadLevel {
 public:
  /// From now on `share` of the processor; it was due at `due_s` (monotonic_s).
  void set(double share, double due_s) {
    due_s_.store(due_s, std::memory_order_relaxed);
    share_.store(share, std::memory_order_relaxed);
    advance();
  }
  /// Sends the spinners home.
  void end() {
    is_over_.store(true, std::memory_order_relaxed);
    advance();
  }

  /// Counts the changes. Whoever follows reads it before the rest, and again to see whether all still holds.
  std::uint32_t version() const { return version_.load(std::memory_order_acquire); }
  void await_change(std::uint32_t seen) const { version_.wait(seen, std::memory_order_acquire); }
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
/// one of them gets half of it, two get two thirds: as many are active as the share takes, and each keeps to
/// its part by its own processor clock.
class Spinner {
 public:
  /// `number`: counted from 0; the load has as many as its largest share takes.
  Spinner(const LoadLevel& level, int number, const LoadPlace& place);

  /// Waits for its end, once the level has ended.
  void join() { thread_.join(); }
  /// Processor time burnt; once it has ended.
  double cpu_s() const { return cpu_s_; }
  /// How late it ran for the first time each time the load came on, seconds; once it has ended. Only the
  /// first spinner looks.
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
  std::thread thread_;  // last: it uses the others
};

}  // namespace loadshare
