#pragma once

#include <sched.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "runtime/host/clock.hpp"
#include "runtime/host/processor.hpp"
#include "runtime/transport/mpi/messages.hpp"
#include "runtime/transport/policies.hpp"

namespace loadshare::mpi {

/// What happens between two looks at MPI, which cannot wake a sleeper. After something has moved the next
/// message is often a microsecond away, so it is looked again at once for a moment, politely where the core
/// is shared; then after a nap, which grows. A look costs processor time, so a rank that a control group
/// grants a tenth of a processor looks a tenth as often: else looking would take the time that computing
/// needs.
class PollNap {
 public:
  /// A message may lie here for this long before anybody looks.
  static constexpr double longest_s = 500e-6;

  /// `capacity`: what this rank may have of a processor, in (0, 1]. `policy`: `spin` where nobody else waits
  /// for the core.
  explicit PollNap(double capacity = 1, WaitPolicy policy = WaitPolicy::nap)
      : policy_(policy),
        yields_(!yields_by_itself()),
        eager_s_(capacity < 1 ? 0 : most_eager_s),
        shortest_s_(std::min(shortest_of_a_whole_processor_s / capacity, longest_s)),
        next_s_(shortest_s_) {}

  void has_moved() {
    if (eager_until_s_ > 0) shyness_ /= 2;  // it was worth it
    next_s_ = shortest_s_;
    napped_s_ = 0;
    eager_until_s_ = eager_s_ > 0 ? undecided_s : 0;
    looks_ = 0;
  }
  /// Whether to look again at once; a moment has passed.
  bool looks_again() {
    if (eager_until_s_ == 0) return false;
    if (policy_ != WaitPolicy::spin) return yields_politely();
    pause_processor();
    return ++looks_ % looks_a_clock != 0 || is_still_eager(monotonic_s());
  }
  /// The next nap; none is longer than `limit_s`.
  double next(double limit_s = longest_s) {
    const double now_s = std::min(next_s_, limit_s);
    next_s_ = std::min(next_s_ * growth, limit_s);
    napped_s_ += now_s;
    return now_s;
  }
  /// How long a nap may be where what is waited for may take long: a hundredth of how long it has taken, for
  /// to be so late then matters to nobody, and each look costs its host some 10 us.
  double patience_s() const { return std::clamp(napped_s_ / 100, longest_s, most_patient_s); }
  /// Sleeps until the next look.
  void rest() { std::this_thread::sleep_for(std::chrono::duration<double>(next())); }

 private:
  static constexpr double shortest_of_a_whole_processor_s = 30e-6;
  static constexpr double growth = 1.5;
  static constexpr double most_patient_s = 2e-3;
  static constexpr double most_eager_s = 100e-6;
  static constexpr double undecided_s = -1;
  static constexpr double late_yield_s = 300e-6;
  static constexpr int most_shyness = 64;
  static constexpr int looks_a_clock = 16;  // to read it takes about as long as to look

  bool is_still_eager(double now_s) {
    if (eager_until_s_ == undecided_s) begin_eagerness(now_s);
    if (now_s > eager_until_s_) eager_until_s_ = 0;
    return eager_until_s_ > 0;
  }
  void begin_eagerness(double now_s) {
    const bool is_shy = shy_moves_ > 0;
    if (is_shy) --shy_moves_;
    eager_until_s_ = is_shy ? 0 : now_s + eager_s_;
  }
  // A yield that comes back late tells of a program on this core that does not yield: only a sleeper keeps
  // its claim to be woken soon there. So nobody yields for a while, the longer the more often that happens.
  bool yields_politely() {
    const double now_s = monotonic_s();
    const bool is_late = eager_until_s_ > 0 && now_s - looked_s_ > late_yield_s;
    if (is_late) shy_moves_ = shyness_ = std::clamp(4 * shyness_, 1, most_shyness);
    if (!is_still_eager(now_s)) return false;
    looked_s_ = now_s;
    if (yields_) sched_yield();
    return true;
  }

  WaitPolicy policy_;
  bool yields_;  // else MPI does, where it is looked at in vain
  double eager_s_;
  double shortest_s_;
  double next_s_;
  double napped_s_ = 0;       // since something has moved
  int looks_ = 0;             // since something has moved
  double looked_s_ = 0;       // when it yielded last
  double eager_until_s_ = 0;  // 0: it naps; undecided: something has moved since
  int shyness_ = 0;           // how many moves the last late yield cost
  int shy_moves_ = 0;         // so many more
};

}  // namespace loadshare::mpi
