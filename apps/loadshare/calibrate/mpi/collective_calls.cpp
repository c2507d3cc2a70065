#include "apps/loadshare/calibrate/mpi/collective_calls.hpp"

#include <array>

#include "apps/loadshare/calibrate/mpi/collective_call_names.hpp"

namespace loadshare::tool {
namespace {

using Arguments = CollectiveArguments;

int barrier(const Arguments& with) {
  return MPI_Barrier(with.comm);
}

int allreduce(const Arguments& with) {
  return MPI_Allreduce(with.sent, with.received, with.bytes / static_cast<int>(sizeof(unsigned)),
                       MPI_UNSIGNED, MPI_SUM, with.comm);
}

int allgather(const Arguments& with) {
  return MPI_Allgather(with.sent, with.bytes, MPI_BYTE, with.received, with.bytes, MPI_BYTE, with.comm);
}

int alltoall(const Arguments& with) {
  return MPI_Alltoall(with.sent, with.bytes, MPI_BYTE, with.received, with.bytes, MPI_BYTE, with.comm);
}

int alltoallv(const Arguments& with) {
  return MPI_Alltoallv(with.sent, with.counts, with.places, MPI_BYTE, with.received, with.counts, with.places,
                       MPI_BYTE, with.comm);
}

constexpr std::array all_calls{CollectiveCall{"barrier", "MPI_Barrier", barrier},
                               CollectiveCall{"allreduce", "MPI_Allreduce", allreduce},
                               CollectiveCall{"allgather", "MPI_Allgather", allgather},
                               CollectiveCall{"alltoall", "MPI_Alltoall", alltoall},
                               CollectiveCall{"alltoallv", "MPI_Alltoallv", alltoallv}};

}  // namespace

std::span<const CollectiveCall> collective_calls() {
  return all_calls;
}

std::vector<std::string> collective_call_names() {
  std::vector<std::string> names;
  for (const CollectiveCall& each : all_calls) names.emplace_back(each.name);
  return names;
}

}  // namespace loadshare::tool
