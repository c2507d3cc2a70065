#pragma once

#include <cstdint>
#include <optional>

namespace loadshare {

/// While it lives, lets its thread run soon after it is woken, also beside a program that holds the core:
/// short sleeps end when they should (by default Linux may add 50 us), and a thread that only ever runs for
/// moments asks the scheduler for short turns, which come sooner (Linux 6.12 and later; elsewhere nothing
/// changes). The thread belongs to the caller, so it gets back what it had.
class PunctualWaking final {
 public:
  PunctualWaking();
  ~PunctualWaking();
  PunctualWaking(const PunctualWaking&) = delete;
  PunctualWaking& operator=(const PunctualWaking&) = delete;

 private:
  unsigned long slack_ns_;
  std::optional<std::uint64_t> turn_ns_;  // nothing: it was not changed
};

}  // namespace loadshare
