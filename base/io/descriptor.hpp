#pragma once

#include <unistd.h>

#include <string_view>
#include <utility>

namespace loadshare {

/// Owner of a file descriptor; -1 is none.
class Descriptor final {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  ~Descriptor() { close(); }
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }

  int number() const { return number_; }
  /// Gives up the descriptor; the caller closes it.
  int release() { return std::exchange(number_, -1); }
  void close() {
    if (const int number = std::exchange(number_, -1); number >= 0) ::close(number);
  }

 private:
  int number_;
};

/// Throws Error (run_failed) with `problem` and the system's text for errno.
[[noreturn]] void throw_errno(std::string_view problem);

/// Returns `result`, or throws like throw_errno() when it is -1.
int checked(int result, std::string_view problem);

}  // namespace loadshare
