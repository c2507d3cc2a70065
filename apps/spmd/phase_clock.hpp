#pragma once

#include <algorithm>

#include "runtime/timing/clock.hpp"

namespace loadshare::spmd {

/// Adds up where one rank's time goes: what it computes, by the wall's and the processor's clock, and what it
/// talks with others, waiting for them included.
class PhaseClock {
 public:
  /// Runs `work`, which computes and does not talk.
  template <class Work>
  void compute(const Work& work) {
    const double begun_s = monotonic_s();
    const double begun_cpu_s = thread_cpu_s();
    work();
    const double cpu_s = thread_cpu_s() - begun_cpu_s;
    const double wall_s = monotonic_s() - begun_s;
    computing_s_ += std::min(cpu_s, wall_s);
    stolen_s_ += std::max(0.0, wall_s - cpu_s);
  }

  /// Runs `talk`, which moves data or waits for others. Only wall time counts: who waits in MPI is busy.
  template <class Talk>
  void exchange(const Talk& talk) {
    const double begun_s = monotonic_s();
    talk();
    exchanging_s_ += monotonic_s() - begun_s;
  }

  double computing_s() const { return computing_s_; }  ///< processor time while computing
  double stolen_s() const { return stolen_s_; }        ///< wall minus processor time, ditto
  double exchanging_s() const { return exchanging_s_; }

 private:
  double computing_s_ = 0;
  double stolen_s_ = 0;
  double exchanging_s_ = 0;
};

}  // namespace loadshare::spmd
