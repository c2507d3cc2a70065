#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <string_view>

#include "profiler/format.hpp"
#include "runtime/host/processor.hpp"

namespace loadshare::profile {

/// The first bytes of a kernel file, read once. It allocates nothing and never throws; it is empty if the
/// file cannot be read.
template <std::size_t Size>
class SmallFile final {
 public:
  explicit SmallFile(const char* path) {
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return;
    const ssize_t size = read(file, text_.data(), text_.size());
    size_ = size > 0 ? static_cast<std::size_t>(size) : 0;
    close(file);
  }
  std::string_view text() const { return {text_.data(), size_}; }

 private:
  std::array<char, Size> text_{};
  std::size_t size_ = 0;
};

inline std::int64_t nanoseconds(clockid_t clock) {
  timespec at{};
  clock_gettime(clock, &at);
  return static_cast<std::int64_t>(at.tv_sec) * 1'000'000'000 + at.tv_nsec;
}

/// The clock that stamps events. It is the processor's counter if that runs evenly on all processors and
/// through sleep (10 ns per reading; clock_gettime takes 24 ns), otherwise CLOCK_MONOTONIC.
class Ticks final {
 public:
  /// Selects the clock. Until then it is CLOCK_MONOTONIC.
  static void choose();
  static std::uint64_t now() {
    if (has_counter_) return processor_ticks();
    return static_cast<std::uint64_t>(nanoseconds(CLOCK_MONOTONIC));
  }
  /// Reads both clocks; returns the closest pair of a few readings.
  static ClockPair pair();

 private:
  inline static bool has_counter_ = false;
};

}  // namespace loadshare::profile
