#pragma once

#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <climits>
#include <cstdint>

#include "runtime/host/clock.hpp"
#include "runtime/host/processor.hpp"
#include "runtime/transport/policies.hpp"

namespace loadshare {

/// Sleeps while `word` holds `expected`, for `timeout_s` seconds at most. Works across the processes that
/// share the word's page, which std::atomic::wait does not.
inline void futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t expected, double timeout_s) {
  timespec timeout{};
  timeout.tv_sec = static_cast<time_t>(timeout_s);
  timeout.tv_nsec = static_cast<long>((timeout_s - static_cast<double>(timeout.tv_sec)) * 1e9);
  syscall(SYS_futex, &word, FUTEX_WAIT, expected, &timeout, nullptr, 0);
}

inline void futex_wake_all(std::atomic<std::uint32_t>& word) {
  syscall(SYS_futex, &word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

/// What `automatic` comes to, for a host where `threads` threads of this run share `cores` cores.
inline WaitPolicy resolve(WaitPolicy policy, int threads, int cores) {
  if (policy != WaitPolicy::automatic) return policy;
  return threads <= cores ? WaitPolicy::spin : WaitPolicy::nap;
}

/// Lets a producer in another thread or process of this host wake a sleeping consumer. Zero is its initial
/// state, so that it can live in fresh shared memory.
class alignas(64) Doorbell {
 public:
  /// Producer: call after publishing. Costs a fence, and a system call only when the consumer sleeps.
  void ring() {
    std::atomic_thread_fence(std::memory_order_seq_cst);
    std::uint32_t state = state_.load(std::memory_order_relaxed);
    if (is_asleep(state) && state_.compare_exchange_strong(state, Alertness::waking)) wake(state);
  }
  /// The consumer's Alertness; asleep for an eventfd it is a larger number.
  const std::atomic<std::uint32_t>& consumer() const { return state_; }

  /// Consumer: sleeps until rung, unless `is_ready()` holds, for `timeout_s` at most.
  template <class Ready>
  void sleep(Ready&& is_ready, double timeout_s) {
    if (!falls_asleep(Alertness::asleep, is_ready)) return;
    futex_wait(state_, Alertness::asleep, timeout_s);
    wakes_up();
  }

  /// Consumer that waits elsewhere, for this eventfd of its own process among others: from now on until
  /// `wakes_up`, ringing writes to it. False where `is_ready()` holds, and nothing is to be waited for.
  template <class Ready>
  bool falls_asleep_at(int eventfd, Ready&& is_ready) {
    return falls_asleep(at_first_descriptor + static_cast<std::uint32_t>(eventfd), is_ready);
  }
  void wakes_up() { state_.store(Alertness::awake, std::memory_order_relaxed); }

 private:
  static constexpr std::uint32_t at_first_descriptor = Alertness::waking + 1;

  static bool is_asleep(std::uint32_t state) {
    return state == Alertness::asleep || state >= at_first_descriptor;
  }
  template <class Ready>
  bool falls_asleep(std::uint32_t where, Ready&& is_ready) {
    state_.store(where, std::memory_order_relaxed);
    // Pairs with the fence of ring(): one of the two sees what the other wrote. A sequentially consistent
    // store alone would not keep the loads of `is_ready` behind it.
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (!is_ready()) return true;
    wakes_up();
    return false;
  }
  void wake(std::uint32_t where) {
    if (where == Alertness::asleep) return futex_wake_all(state_);
    const std::uint64_t once = 1;
    (void)!write(static_cast<int>(where - at_first_descriptor), &once, sizeof(once));
  }

  std::atomic<std::uint32_t> state_;
};
static_assert(std::atomic<std::uint32_t>::is_always_lock_free);

/// A few yields, which hand the core to whoever is to answer: less than to sleep and to be woken. As soon as
/// one comes back late, the core is shared with a program that does not yield, and only sleeping keeps our
/// claim to wake up promptly.
class PoliteYields {
 public:
  /// Whether `is_ready()` came to hold.
  template <class Ready>
  bool until(Ready&& is_ready) {
    if (impolite_rounds_ > 0) return --impolite_rounds_, false;
    const double start_s = monotonic_s();
    for (double before_s = start_s; before_s - start_s < politeness_s;) {
      sched_yield();
      if (is_ready()) return true;
      const double after_s = monotonic_s();
      if (after_s - before_s > late_yield_s) return impolite_rounds_ = rounds_after_a_late_yield, false;
      before_s = after_s;
    }
    return false;
  }

  static constexpr double late_yield_s = 30e-6;

 private:
  static constexpr double politeness_s = 30e-6;
  static constexpr int rounds_after_a_late_yield = 64;

  int impolite_rounds_ = 0;
};

/// Waits by a policy until a condition holds. A nap begins with polite yields.
class Waiter {
 public:
  explicit Waiter(WaitPolicy policy) : policy_(policy) {}

  bool may_sleep() const { return policy_ == WaitPolicy::nap; }
  WaitPolicy policy() const { return policy_; }

  /// Waits until `is_ready()` or about `limit_s` seconds have gone.
  template <class Ready>
  void wait(Doorbell& bell, Ready&& is_ready, double limit_s) {
    if (policy_ == WaitPolicy::spin) return spin(bell, is_ready, limit_s);
    if (policy_ == WaitPolicy::yield) return yield(is_ready, limit_s);
    if (!yield_politely(is_ready)) bell.sleep(is_ready, limit_s);
  }

 private:
  static constexpr int spins_per_look = 256;
  static constexpr int spins_before_yielding = 32;  // less than a microsecond
  static constexpr int yields_per_look = 16;

  // Threads may begin on one core together, and the kernel takes its time to spread them while all of them
  // are busy: whoever waits would take the core from the one that it waits for. A sleeper is woken on a free
  // core.
  template <class Ready>
  static void spin(Doorbell& bell, Ready& is_ready, double limit_s) {
    double now_s = monotonic_s();
    const double end_s = now_s + limit_s;
    do {
      for (int i = 0; i < spins_per_look; ++i) {
        if (is_ready()) return;
        pause_processor();
      }
      const double before_s = monotonic_s();
      sched_yield();
      now_s = monotonic_s();
      const bool is_core_shared = now_s - before_s > PoliteYields::late_yield_s;
      if (is_core_shared && now_s < end_s) return bell.sleep(is_ready, end_s - now_s);
    } while (now_s < end_s);
  }

  template <class Ready>
  static void yield(Ready& is_ready, double limit_s) {
    const double end_s = monotonic_s() + limit_s;
    do {
      for (int i = 0; i < yields_per_look; ++i) {
        if (is_ready()) return;
        sched_yield();
      }
    } while (monotonic_s() < end_s);
  }

  template <class Ready>
  bool yield_politely(Ready& is_ready) {
    for (int i = 0; i < spins_before_yielding; ++i) {
      if (is_ready()) return true;
      pause_processor();
    }
    return yields_.until(is_ready);
  }

  WaitPolicy policy_;
  PoliteYields yields_;
};

}  // namespace loadshare
