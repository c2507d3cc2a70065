#pragma once

#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "runtime/transport/mpi/check.hpp"

namespace loadshare::mpi {

/// Sleeps a little longer each time: for polling MPI, which knows no other way of waiting, as a guest.
class GrowingNap {
 public:
  void rest() {
    std::this_thread::sleep_for(std::chrono::duration<double>(next_s_));
    next_s_ = std::min(next_s_ * growth, longest_s);
  }

 private:
  static constexpr double shortest_s = 20e-6;
  static constexpr double longest_s = 500e-6;
  static constexpr double growth = 1.5;
  double next_s_ = shortest_s;
};

/// MPI_Wait without burning the processor.
inline void wait_quietly(MPI_Request request) {
  int is_done = 0;
  for (GrowingNap nap;; nap.rest()) {
    check(MPI_Test(&request, &is_done, MPI_STATUS_IGNORE), "MPI_Test");
    if (is_done != 0) return;
  }
}

}  // namespace loadshare::mpi
