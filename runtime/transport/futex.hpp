#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <climits>
#include <cstdint>

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

}  // namespace loadshare
