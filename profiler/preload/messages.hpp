#pragma once

#include <mpi.h>

#include <vector>

#include "profiler/preload/recorder.hpp"

namespace loadshare::profile {

/// Returns the size of `count` elements; 0 for an invalid type, which MPI itself reports.
inline std::uint64_t bytes_of(int count, MPI_Datatype type) {
  if (count <= 0 || type == MPI_DATATYPE_NULL) return 0;
  int size = 0;
  PMPI_Type_size(type, &size);
  return static_cast<std::uint64_t>(count) * static_cast<std::uint64_t>(size < 0 ? 0 : size);
}

/// Describes a message to a rank, or a receive. MPI_ANY_SOURCE, MPI_ANY_TAG and MPI_PROC_NULL become -1.
inline Message with_peer(MPI_Comm communicator, int peer, int tag, int count, MPI_Datatype type) {
  const Group& group = the_recorder->groups.of(communicator);
  if (peer == MPI_PROC_NULL) return {.communicator = group.id};
  return {.bytes = bytes_of(count, type),
          .peer = Groups::world_rank(group, peer),
          .tag = tag == MPI_ANY_TAG ? -1 : tag,
          .communicator = group.id};
}

/// Describes a received message by its status. Without a message the peer is -1.
Message in_status(const Group& group, const MPI_Status& status);

/// The status that MPI writes: the program's, or an own one if the program ignores it.
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

// Record the start of a request with the request's number. A message to or from MPI_PROC_NULL does not count
// as one, and gets no number.
void leave_send_start(const Call& made, const Message& message, MPI_Request request);
void leave_receive_start(const Call& made, const Message& message, MPI_Request request, Group& group,
                         int from);
/// Likewise; the request has the number of its matched message.
void leave_matched_start(const Call& made, const Message& message, MPI_Request request, Group& group,
                         std::uint32_t number);
void leave_collective_start(const Call& made, const Message& message, MPI_Request request);
/// Likewise for MPI_Comm_idup, whose communicator cannot be examined before the request completes.
void leave_idup(const Call& made, Group& parent, MPI_Comm promised, MPI_Request request);

/// Records the creation of a persistent request. Its message counts when the request is started.
void leave_init(const Call& made, const Message& message, MPI_Request request, int peer, Group* group);
/// Records MPI_Start and MPI_Startall. The first request gets the call's duration.
void leave_started(const Call& made, int count, const MPI_Request* requests);

/// Records the completion of a request as a part of the last call. `handle` is the one from before the call.
void complete(MPI_Request handle, const MPI_Status& status);
/// Returns the number of an active request; 0 if it is not active.
std::uint32_t number_of(MPI_Request handle);
/// Forgets a request that the program has freed.
void forget_request(MPI_Request handle);
/// From now on, checks completed requests for cancellation.
void expect_cancelled();

/// Copies of request handles, which MPI overwrites in completing calls.
class Handles final {
 public:
  /// Copies the handles. Returns the array into which MPI shall write the statuses.
  MPI_Status* keep(int count, const MPI_Request* requests, MPI_Status* given);
  MPI_Request operator[](int i) const { return handles_[static_cast<std::size_t>(i)]; }

 private:
  std::vector<MPI_Request> handles_;
  std::vector<MPI_Status> statuses_;
};

/// Returns the recorded thread's only instance, which is enough because completing calls do not nest.
Handles& handles();

}  // namespace loadshare::profile
