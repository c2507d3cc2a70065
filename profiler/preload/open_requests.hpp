#pragma once

#include <mpi.h>

#include "profiler/preload/messages.hpp"

namespace loadshare::profile {

/// A call that MPI has made.
struct MadeCall {
  CallId call;
  std::uint64_t begin_ticks;
  const void* place;
};

// A start is recorded with the number of its request. A message to or from MPI_PROC_NULL is none, and gets
// none.
void leave_send_start(const MadeCall& made, const Message& message, MPI_Request request);
void leave_receive_start(const MadeCall& made, const Message& message, MPI_Request request, Group& group,
                         int from);
/// Its request goes by the number that its message has.
void leave_matched_start(const MadeCall& made, const Message& message, MPI_Request request, Group& group,
                         std::uint32_t number);
void leave_collective_start(const MadeCall& made, const Message& message, MPI_Request request);
/// The new communicator cannot be looked at before its request is finished.
void leave_idup(const MadeCall& made, Group& parent, MPI_Comm promised, MPI_Request request);

/// The making of a persistent request: its message counts when it is started.
void leave_init(const MadeCall& made, const Message& message, MPI_Request request, int peer, Group* group);
/// MPI_Start and MPI_Startall; the time is the first one's.
void leave_started(const MadeCall& made, int count, const MPI_Request* requests);

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
