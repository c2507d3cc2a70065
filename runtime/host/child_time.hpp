#pragma once

#include <cstddef>
#include <mutex>

namespace loadshare {

/// Credits the processor time of child processes to the workers whose iterations waited for them. Each second
/// is credited once.
///
/// The kernel adds a child's time to the process's total when the child has ended and was waited for. With
/// one worker per process, the time of a chunk's children is therefore exact. With several workers, the time
/// of one worker's child may be credited to another worker that asks next; the sum is right. Time that
/// exceeds a chunk's own (because a child used several threads, for example) is credited to other workers, if
/// there are any.
class ChildTime final {
 public:
  /// Starts to count, for this number of workers of this process.
  explicit ChildTime(std::size_t workers);

  /// Returns time that has not been credited yet, at most `most_s`. With one worker the rest is dropped.
  /// Makes a system call; for any thread.
  double take(double most_s);

 private:
  std::mutex mutex_;
  bool is_shared_;
  double given_s_;
};

}  // namespace loadshare
