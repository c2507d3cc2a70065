#pragma once

#include <mpi.h>

#include <span>

namespace loadshare::tool {

/// What a collective call works on.
struct CollectiveArguments {
  MPI_Comm comm = MPI_COMM_NULL;
  int bytes = 0;  ///< as communication::CollectiveCosts has them, a multiple of 4
  const void* sent = nullptr;
  void* received = nullptr;
  // Of alltoallv, by member.
  const int* counts = nullptr;
  const int* places = nullptr;
};

struct CollectiveCall {
  const char* name;      ///< see collective_call_names()
  const char* mpi_name;  ///< for errors
  int (*call)(const CollectiveArguments& with);
};

std::span<const CollectiveCall> collective_calls();

}  // namespace loadshare::tool
