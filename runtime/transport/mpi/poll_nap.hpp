#pragma once

#include <algorithm>
#include <chrono>
#include <thread>

namespace loadshare::mpi {

/// How long to sleep between two polls of MPI, which cannot wake a sleeper: briefly after something has
/// moved, then longer and longer. A poll costs processor time, so a rank that a control group grants a tenth
/// of a processor polls a tenth as often: else polling would take the time that computing needs.
class PollNap {
 public:
  /// A message may lie here for this long before anybody looks.
  static constexpr double longest_s = 500e-6;

  /// `capacity`: what this rank may have of a processor, in (0, 1].
  explicit PollNap(double capacity = 1)
      : shortest_s_(std::min(shortest_of_a_whole_processor_s / capacity, longest_s)), next_s_(shortest_s_) {}

  void has_moved() { next_s_ = shortest_s_; }
  /// The next nap; none is longer than `limit_s`.
  double next(double limit_s = longest_s) {
    const double now_s = std::min(next_s_, limit_s);
    next_s_ = std::min(next_s_ * growth, limit_s);
    return now_s;
  }
  /// Sleeps until the next look.
  void rest() { std::this_thread::sleep_for(std::chrono::duration<double>(next())); }

 private:
  static constexpr double shortest_of_a_whole_processor_s = 30e-6;
  static constexpr double growth = 1.5;
  double shortest_s_;
  double next_s_;
};

}  // namespace loadshare::mpi
