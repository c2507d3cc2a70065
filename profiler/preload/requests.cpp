#include "profiler/preload/open_requests.hpp"
#include "profiler/preload/record.hpp"

using namespace loadshare::profile;

namespace {

/// A wait or a test: `tell` gives the finished ones' parts after it, and says whether it was not in vain.
template <typename Make, typename IsDone, typename Tell>
int record_completion(CallId call, const void* place, int count, const MPI_Request* requests,
                      MPI_Status*& statuses, Make make, IsDone is_done, Tell tell) {
  const auto keep = [&] {
    statuses = handles().keep(count, requests, statuses);
    return Message{};
  };
  return record(call, place, keep, make, [&](std::uint64_t begin_ticks, const Message& none) {
    if (!is_done()) return the_recorder->leave_in_vain(call, begin_ticks, none, place);
    the_recorder->leave(call, begin_ticks, none, place);
    tell();
  });
}

/// A call that does something to one request, whose number `describe` finds out.
template <typename Describe, typename Make>
int record_named(CallId call, const void* place, const std::uint32_t& number, Describe describe, Make make) {
  return record(call, place, describe, make, [&](std::uint64_t begin_ticks, const Message& none) {
    the_recorder->leave(call, begin_ticks, none, place, number);
  });
}

bool always() {
  return true;
}

void tell_all(int count, const MPI_Status* statuses) {
  for (int i = 0; i < count; ++i) complete(handles()[i], statuses[i]);
}

/// `count` is MPI_UNDEFINED where nothing was to be waited for.
void tell_some(int count, const int* indices, const MPI_Status* statuses) {
  for (int i = 0; count != MPI_UNDEFINED && i < count; ++i) complete(handles()[indices[i]], statuses[i]);
}

void tell_one(int index, const MPI_Status* status) {
  if (index != MPI_UNDEFINED) complete(handles()[index], *status);
}

}  // namespace

LOADSHARE_INTERPOSE(Wait)
int PMPI_Wait(MPI_Request* request, MPI_Status* status) {
  return record_completion(
      CallId::Wait, LOADSHARE_PLACE, 1, request, status, [&] { return real_Wait(request, status); }, always,
      [&] { tell_all(1, status); });
}

LOADSHARE_INTERPOSE(Waitall)
int PMPI_Waitall(int count, MPI_Request* requests, MPI_Status* statuses) {
  return record_completion(
      CallId::Waitall, LOADSHARE_PLACE, count, requests, statuses,
      [&] { return real_Waitall(count, requests, statuses); }, always, [&] { tell_all(count, statuses); });
}

LOADSHARE_INTERPOSE(Waitany)
int PMPI_Waitany(int count, MPI_Request* requests, int* index, MPI_Status* status) {
  return record_completion(
      CallId::Waitany, LOADSHARE_PLACE, count, requests, status,
      [&] { return real_Waitany(count, requests, index, status); }, always,
      [&] { tell_one(*index, status); });
}

LOADSHARE_INTERPOSE(Waitsome)
int PMPI_Waitsome(int count, MPI_Request* requests, int* done, int* indices, MPI_Status* statuses) {
  return record_completion(
      CallId::Waitsome, LOADSHARE_PLACE, count, requests, statuses,
      [&] { return real_Waitsome(count, requests, done, indices, statuses); }, always,
      [&] { tell_some(*done, indices, statuses); });
}

LOADSHARE_INTERPOSE(Test)
int PMPI_Test(MPI_Request* request, int* flag, MPI_Status* status) {
  return record_completion(
      CallId::Test, LOADSHARE_PLACE, 1, request, status, [&] { return real_Test(request, flag, status); },
      [&] { return *flag != 0; }, [&] { tell_all(1, status); });
}

LOADSHARE_INTERPOSE(Testall)
int PMPI_Testall(int count, MPI_Request* requests, int* flag, MPI_Status* statuses) {
  return record_completion(
      CallId::Testall, LOADSHARE_PLACE, count, requests, statuses,
      [&] { return real_Testall(count, requests, flag, statuses); }, [&] { return *flag != 0; },
      [&] { tell_all(count, statuses); });
}

LOADSHARE_INTERPOSE(Testany)
int PMPI_Testany(int count, MPI_Request* requests, int* index, int* flag, MPI_Status* status) {
  return record_completion(
      CallId::Testany, LOADSHARE_PLACE, count, requests, status,
      [&] { return real_Testany(count, requests, index, flag, status); }, [&] { return *flag != 0; },
      [&] { tell_one(*index, status); });
}

LOADSHARE_INTERPOSE(Testsome)
int PMPI_Testsome(int count, MPI_Request* requests, int* done, int* indices, MPI_Status* statuses) {
  return record_completion(
      CallId::Testsome, LOADSHARE_PLACE, count, requests, statuses,
      [&] { return real_Testsome(count, requests, done, indices, statuses); }, [&] { return *done != 0; },
      [&] { tell_some(*done, indices, statuses); });
}

/// The request is not over with it, so nothing is completed.
LOADSHARE_INTERPOSE(Request_get_status)
int PMPI_Request_get_status(MPI_Request request, int* flag, MPI_Status* status) {
  const void* place = LOADSHARE_PLACE;
  return record(
      CallId::Request_get_status, place, [] { return Message{}; },
      [&] { return real_Request_get_status(request, flag, status); },
      [&](std::uint64_t begin_ticks, const Message& none) {
        if (*flag == 0)
          the_recorder->leave_in_vain(CallId::Request_get_status, begin_ticks, none, place);
        else
          the_recorder->leave(CallId::Request_get_status, begin_ticks, none, place);
      });
}

LOADSHARE_INTERPOSE(Request_free)
int PMPI_Request_free(MPI_Request* request) {
  std::uint32_t number = 0;
  const auto forget = [&] {
    number = number_of(*request);
    forget_request(*request);
    return Message{};
  };
  return record_named(CallId::Request_free, LOADSHARE_PLACE, number, forget,
                      [&] { return real_Request_free(request); });
}

LOADSHARE_INTERPOSE(Cancel)
int PMPI_Cancel(MPI_Request* request) {
  std::uint32_t number = 0;
  const auto expect = [&] {
    number = number_of(*request);
    expect_cancelled();
    return Message{};
  };
  return record_named(CallId::Cancel, LOADSHARE_PLACE, number, expect, [&] { return real_Cancel(request); });
}

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
