#pragma once

#include <cstddef>
#include <mutex>

namespace loadshare {

/// Processor time of child processes, credited to the workers whose iterations waited for them: each second
/// once.
///
/// The kernel adds up a child's time for the whole process, when the child has ended and was waited for. So a
/// process with one worker knows exactly how much the children of a chunk used. If it has several, a worker
/// that asks right after another's child has ended may be credited with that child's time; the sum is right.
/// Time that exceeds a chunk's own (of a child that computed with several threads, say) is left to the other
/// workers, if there are any.
class ChildTime final {
 public:
  /// Counts from now on, for this number of workers of this process.
  explicit ChildTime(std::size_t workers);

  /// Takes from the time that has not been credited yet, no more than `most_s`; a process with one worker
  /// forgets the rest. Makes a system call; for any thread.
  double take(double most_s);

 private:
  std::mutex mutex_;
  bool is_shared_;
  double given_s_;
};

}  // namespace loadshare
