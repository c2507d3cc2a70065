#include "runtime/profile/interpose/open_requests.hpp"
#include "runtime/profile/interpose/record.hpp"

using namespace loadshare::profile;

namespace {

/// What a probe found: the message's true source, tag and bytes.
void leave_found(CallId call, std::uint64_t begin_ticks, const void* place, MPI_Comm group,
                 const MPI_Status& status, std::uint32_t number = 0) {
  the_recorder->leave(call, begin_ticks, in_status(the_recorder->groups.of(group), status), place, number);
}

/// A matched message belongs to no communicator that its receive would name, and takes no other's place.
void leave_matched(CallId call, std::uint64_t begin_ticks, const void* place, MPI_Comm communicator,
                   const MPI_Status& status, MPI_Message message) {
  if (message == MPI_MESSAGE_NULL || message == MPI_MESSAGE_NO_PROC)
    return leave_found(call, begin_ticks, place, communicator, status);
  OpenRequest& open = the_recorder->requests.add(message);
  open.number = the_recorder->next_request();
  open.group = &the_recorder->groups.of(communicator);
  ++open.group->receives;
  leave_found(call, begin_ticks, place, communicator, status, open.number);
}

/// A message found, and not yet received; without a group where nobody sent it.
struct Matched {
  Group* group = nullptr;
  std::uint32_t number = 0;
};

Matched find_message(MPI_Message message) {
  const OpenRequest* known = the_recorder->requests.find(message);
  return known == nullptr ? Matched{} : Matched{known->group, known->number};
}

void forget_message(MPI_Message message, Group* group) {
  if (group == nullptr) return;
  Groups::release(*group);
  the_recorder->requests.remove(message);
}

}  // namespace

LOADSHARE_INTERPOSE(Probe)
int PMPI_Probe(int from, int tag, MPI_Comm group, MPI_Status* status) {
  StatusPlace used(status);
  const void* place = LOADSHARE_PLACE;
  return record(
      CallId::Probe, place, [] { return Message{}; },
      [&] { return real_Probe(from, tag, group, used.get()); },
      [&](std::uint64_t begin_ticks, const Message&) {
        leave_found(CallId::Probe, begin_ticks, place, group, *used);
      });
}

LOADSHARE_INTERPOSE(Iprobe)
int PMPI_Iprobe(int from, int tag, MPI_Comm group, int* flag, MPI_Status* status) {
  StatusPlace used(status);
  const void* place = LOADSHARE_PLACE;
  return record(
      CallId::Iprobe, place, [&] { return with_peer(group, from, tag, 0, MPI_BYTE); },
      [&] { return real_Iprobe(from, tag, group, flag, used.get()); },
      [&](std::uint64_t begin_ticks, const Message& sought) {
        if (*flag == 0) return the_recorder->leave_in_vain(CallId::Iprobe, begin_ticks, sought, place);
        leave_found(CallId::Iprobe, begin_ticks, place, group, *used);
      });
}

LOADSHARE_INTERPOSE(Mprobe)
int PMPI_Mprobe(int from, int tag, MPI_Comm group, MPI_Message* message, MPI_Status* status) {
  StatusPlace used(status);
  const void* place = LOADSHARE_PLACE;
  return record(
      CallId::Mprobe, place, [] { return Message{}; },
      [&] { return real_Mprobe(from, tag, group, message, used.get()); },
      [&](std::uint64_t begin_ticks, const Message&) {
        leave_matched(CallId::Mprobe, begin_ticks, place, group, *used, *message);
      });
}

LOADSHARE_INTERPOSE(Improbe)
int PMPI_Improbe(int from, int tag, MPI_Comm group, int* flag, MPI_Message* message, MPI_Status* status) {
  StatusPlace used(status);
  const void* place = LOADSHARE_PLACE;
  return record(
      CallId::Improbe, place, [&] { return with_peer(group, from, tag, 0, MPI_BYTE); },
      [&] { return real_Improbe(from, tag, group, flag, message, used.get()); },
      [&](std::uint64_t begin_ticks, const Message& sought) {
        if (*flag == 0) return the_recorder->leave_in_vain(CallId::Improbe, begin_ticks, sought, place);
        leave_matched(CallId::Improbe, begin_ticks, place, group, *used, *message);
      });
}

LOADSHARE_INTERPOSE(Mrecv)
int PMPI_Mrecv(void* data, int count, MPI_Datatype type, MPI_Message* message, MPI_Status* status) {
  StatusPlace used(status);
  const void* place = LOADSHARE_PLACE;
  const MPI_Message handle = *message;
  return record(
      CallId::Mrecv, place, [] { return Message{}; },
      [&] { return real_Mrecv(data, count, type, message, used.get()); },
      [&](std::uint64_t begin_ticks, const Message& none) {
        const auto [group, number] = find_message(handle);
        the_recorder->leave(CallId::Mrecv, begin_ticks, group == nullptr ? none : in_status(*group, *used),
                            place, number);
        forget_message(handle, group);
      });
}

LOADSHARE_INTERPOSE(Imrecv)
int PMPI_Imrecv(void* data, int count, MPI_Datatype type, MPI_Message* message, MPI_Request* request) {
  const void* place = LOADSHARE_PLACE;
  const MPI_Message handle = *message;
  return record(
      CallId::Imrecv, place, [&] { return Message{.bytes = bytes_of(count, type)}; },
      [&] { return real_Imrecv(data, count, type, message, request); },
      [&](std::uint64_t begin_ticks, const Message& sought) {
        const auto [group, number] = find_message(handle);
        if (group == nullptr) return the_recorder->leave(CallId::Imrecv, begin_ticks, {}, place);
        Message of_group = sought;
        of_group.communicator = group->id;
        leave_matched_start({CallId::Imrecv, begin_ticks, place}, of_group, *request, *group, number);
        forget_message(handle, group);
      });
}
