#pragma once

#include <mpi.h>

#include <array>
#include <string>

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

}  // namespace loadshare::mpi
