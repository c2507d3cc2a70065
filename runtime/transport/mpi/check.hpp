#pragma once

#include <mpi.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <string>
#include <thread>

#include "base/error.hpp"

namespace loadshare::mpi {

/// Every MPI call goes through here: throws Error(run_failed) with MPI's own text.
inline void check(int code, const char* call) {
  if (code == MPI_SUCCESS) return;
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  MPI_Error_string(code, text.data(), &length);
  throw Error(ExitCode::run_failed, std::string(call) + " failed",
              std::string(text.data(), static_cast<std::size_t>(length)));
}

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
