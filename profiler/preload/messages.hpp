#pragma once

#include <mpi.h>

#include <vector>

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

// A start is recorded with the number of its request. A message to or from MPI_PROC_NULL is none, and gets
// none.
void leave_send_start(const Call& made, const Message& message, MPI_Request request);
void leave_receive_start(const Call& made, const Message& message, MPI_Request request, Group& group,
                         int from);
/// Its request goes by the number that its message has.
void leave_matched_start(const Call& made, const Message& message, MPI_Request request, Group& group,
                         std::uint32_t number);
void leave_collective_start(const Call& made, const Message& message, MPI_Request request);
/// The new communicator cannot be looked at before its request is finished.
void leave_idup(const Call& made, Group& parent, MPI_Comm promised, MPI_Request request);

/// The making of a persistent request: its message counts when it is started.
void leave_init(const Call& made, const Message& message, MPI_Request request, int peer, Group* group);
/// MPI_Start and MPI_Startall; the time is the first one's.
void leave_started(const Call& made, int count, const MPI_Request* requests);

/// Tells of a finished request, known by the handle it had, as a part of the call that was left last.
void complete(MPI_Request handle, const MPI_Status& status);
/// The number of a request under way; 0 where it is none.
std::uint32_t number_of(MPI_Request handle);
/// The program wants to hear no more of it.
void forget_request(MPI_Request handle);
/// From now on a finished request may be a cancelled one.
void expect_cancelled();

/// Of requests that are about to be waited for: MPI overwrites the handles.
class Handles final {
 public:
  /// Returns where MPI is to write the statuses.
  MPI_Status* keep(int count, const MPI_Request* requests, MPI_Status* given);
  MPI_Request operator[](int i) const { return handles_[static_cast<std::size_t>(i)]; }

 private:
  std::vector<MPI_Request> handles_;
  std::vector<MPI_Status> statuses_;
};

/// This thread's; a wait never lies within another.
Handles& handles();

}  // namespace loadshare::profile
