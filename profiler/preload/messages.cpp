#include "profiler/preload/messages.hpp"

#include <algorithm>

namespace loadshare::profile {
namespace {

bool may_be_cancelled = false;

OpenRequest& remember(const Call& made, const Message& message, MPI_Request request) {
  OpenRequest& open = the_recorder->requests.add(request);
  open.call = made.id;
  open.message = message;
  return open;
}

OpenRequest& leave_numbered(const Call& made, const Message& message, MPI_Request request,
                            std::uint32_t number) {
  the_recorder->leave(made, message, number);
  OpenRequest& open = remember(made, message, request);
  open.number = number;
  return open;
}

OpenRequest& leave_numbered(const Call& made, const Message& message, MPI_Request request) {
  return leave_numbered(made, message, request, the_recorder->next_request());
}

void make_receive(OpenRequest& open, Group& group) {
  open.kind = RequestKind::receive;
  open.group = &group;
  ++group.receives;
}

bool is_cancelled(const MPI_Status& status) {
  int flag = 0;
  if (may_be_cancelled) PMPI_Test_cancelled(&status, &flag);
  return flag != 0;
}

void record_completed(const OpenRequest& open, const MPI_Status& status) {
  if (is_cancelled(status)) return;
  if (open.kind == RequestKind::receive)
    the_recorder->part(Part::received, in_status(*open.group, status), open.number);
  else
    the_recorder->part(Part::completed, open.message, open.number);
}

void remove(MPI_Request handle, const OpenRequest& open) {
  if (open.group != nullptr) Groups::release(*open.group);
  the_recorder->requests.remove(handle);
}

}  // namespace

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

void leave_send_start(const Call& made, const Message& message, MPI_Request request) {
  if (message.peer < 0)
    the_recorder->leave(made, message);
  else
    leave_numbered(made, message, request);
}

void leave_receive_start(const Call& made, const Message& message, MPI_Request request, Group& group,
                         int from) {
  if (from == MPI_PROC_NULL)
    the_recorder->leave(made, message);
  else
    make_receive(leave_numbered(made, message, request), group);
}

void leave_matched_start(const Call& made, const Message& message, MPI_Request request, Group& group,
                         std::uint32_t number) {
  make_receive(leave_numbered(made, message, request, number), group);
}

void leave_collective_start(const Call& made, const Message& message, MPI_Request request) {
  leave_numbered(made, message, request);
}

void leave_idup(const Call& made, Group& parent, MPI_Comm promised, MPI_Request request) {
  OpenRequest& open = leave_numbered(made, {.communicator = parent.id}, request);
  open.made = promised;
  open.promised = the_recorder->groups.promise(parent);
}

void leave_init(const Call& made, const Message& message, MPI_Request request, int peer, Group* group) {
  the_recorder->leave(made, {.communicator = message.communicator});
  if (peer == MPI_PROC_NULL) return;
  OpenRequest& open = remember(made, message, request);
  open.is_persistent = true;
  if (group != nullptr) make_receive(open, *group);
}

void leave_started(const Call& made, int count, const MPI_Request* requests) {
  bool is_recorded = false;
  for (int i = 0; i < count; ++i) {
    OpenRequest* open = the_recorder->requests.find(requests[i]);
    if (open == nullptr) continue;
    open->number = the_recorder->next_request();
    if (is_recorded)
      the_recorder->again(open->call, open->message, open->number);
    else
      the_recorder->leave({open->call, made.name, made.place, made.begin_ticks}, open->message, open->number);
    is_recorded = true;
  }
  if (!is_recorded) the_recorder->leave(made, {});
}

void complete(MPI_Request handle, const MPI_Status& status) {
  OpenRequest* open = the_recorder->requests.find(handle);
  if (open == nullptr || open->number == 0) return;
  record_completed(*open, status);
  if (open->made != nullptr)
    the_recorder->groups.add_promised(static_cast<MPI_Comm>(open->made), open->promised);
  if (open->is_persistent)
    open->number = 0;
  else
    remove(handle, *open);
}

std::uint32_t number_of(MPI_Request handle) {
  const OpenRequest* open = the_recorder->requests.find(handle);
  return open == nullptr ? 0 : open->number;
}

void forget_request(MPI_Request handle) {
  if (const OpenRequest* open = the_recorder->requests.find(handle)) remove(handle, *open);
}

void expect_cancelled() {
  may_be_cancelled = true;
}

MPI_Status* Handles::keep(int count, const MPI_Request* requests, MPI_Status* given) {
  if (count <= 0) return given;
  const auto size = static_cast<std::size_t>(count);
  if (handles_.size() < size) handles_.resize(size);
  std::copy_n(requests, size, handles_.begin());
  if (given != MPI_STATUSES_IGNORE) return given;
  if (statuses_.size() < size) statuses_.resize(size);
  return statuses_.data();
}

Handles& handles() {
  static Handles& one = *new Handles;
  return one;
}

}  // namespace loadshare::profile
