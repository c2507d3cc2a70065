#pragma once

#include <mpi.h>

#include "profiler/preload/recorder.hpp"

namespace loadshare::profile {

/// Bytes of so many elements; 0 for what is no type, which MPI itself will complain of.
inline std::uint64_t bytes_of(int count, MPI_Datatype type) {
  if (count <= 0 || type == MPI_DATATYPE_NULL) return 0;
  int size = 0;
  PMPI_Type_size(type, &size);
  return static_cast<std::uint64_t>(count) * static_cast<std::uint64_t>(size < 0 ? 0 : size);
}

/// A message to a rank, or what may come from one: MPI_ANY_SOURCE and MPI_ANY_TAG are -1, as is
/// MPI_PROC_NULL.
inline Message with_peer(MPI_Comm communicator, int peer, int tag, int count, MPI_Datatype type) {
  const Group& group = the_recorder->groups.of(communicator);
  if (peer == MPI_PROC_NULL) return {.communicator = group.id};
  return {.bytes = bytes_of(count, type),
          .peer = Groups::world_rank(group, peer),
          .tag = tag == MPI_ANY_TAG ? -1 : tag,
          .communicator = group.id};
}

/// What a status tells of a message that has come; a peer of -1 for none.
Message in_status(const Group& group, const MPI_Status& status);

/// Where MPI is to write the status: the program's, or one of our own where it does not want it.
class StatusPlace final {
 public:
  explicit StatusPlace(MPI_Status* given) : used_(given == MPI_STATUS_IGNORE ? &own_ : given) {}
  StatusPlace(const StatusPlace&) = delete;
  StatusPlace& operator=(const StatusPlace&) = delete;
  MPI_Status* get() { return used_; }
  const MPI_Status& operator*() const { return *used_; }

 private:
  MPI_Status own_;
  MPI_Status* used_;
};

}  // namespace loadshare::profile
