#pragma once

#include <cstddef>
#include <mutex>

namespace loadshare {

/// Processor time of child processes, given to the workers whose iterations waited for them: each second
/// once.
///
/// The kernel counts what a child used when it has ended and was waited for, and counts it for the whole
/// process. So a process with one worker knows exactly what the children of a chunk used. Where it has
/// several, a worker that asks right after another's child has ended may be given that child's time; the sum
/// is right. What a chunk cannot have (of a child that computed with several threads, say) is left to the
/// other workers, where there are any.
class ChildTime final {
 public:
  /// From now on, for so many workers of this process.
  explicit ChildTime(std::size_t workers);

  /// Of what has not been given yet, no more than `most_s`; a process with one worker forgets the rest. A
  /// system call; of any thread.
  double take(double most_s);

 private:
  std::mutex mutex_;
  bool is_shared_;
  double given_s_;
};

}  // namespace loadshare
