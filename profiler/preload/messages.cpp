#include "profiler/preload/messages.hpp"

namespace loadshare::profile {

Message in_status(const Group& group, const MPI_Status& status) {
  if (status.MPI_SOURCE == MPI_PROC_NULL || status.MPI_SOURCE == MPI_ANY_SOURCE)
    return {.communicator = group.id};
  int count = 0;
  PMPI_Get_count(&status, MPI_BYTE, &count);
  MPI_Count large = count;
  if (count == MPI_UNDEFINED) PMPI_Get_elements_x(&status, MPI_BYTE, &large);
  return {.bytes = large < 0 ? 0 : static_cast<std::uint64_t>(large),
          .peer = Groups::world_rank(group, status.MPI_SOURCE),
          .tag = status.MPI_TAG,
          .communicator = group.id};
}

}  // namespace loadshare::profile
