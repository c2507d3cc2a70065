#include "profiler/preload/messages.hpp"
#include "profiler/preload/record.hpp"

using namespace loadshare::profile;

namespace {

/// Records a wait or a test of `count` requests. It is unsuccessful unless `is_done`; otherwise
/// `complete_parts` records the completed requests.
template <typename Make, typename IsDone, typename Complete>
int record_completion(const Call& call, int count, const MPI_Request* requests, MPI_Status*& statuses,
                      Make make, IsDone is_done, Complete complete_parts) {
  const auto keep = [&] {
    statuses = handles().keep(count, requests, statuses);
    return Message{};
  };
  return record(call, keep, make, [&](const Call& made, const Message& none) {
    if (!is_done()) return the_recorder->leave_unsuccessful(made, none);
    the_recorder->leave(made, none);
    complete_parts();
  });
}

bool always() {
  return true;
}

void complete_each(int count, const MPI_Status* statuses) {
  for (int i = 0; i < count; ++i) complete(handles()[i], statuses[i]);
}

/// `count` is MPI_UNDEFINED if no request was active.
void complete_indices(int count, const int* indices, const MPI_Status* statuses) {
  for (int i = 0; count != MPI_UNDEFINED && i < count; ++i) complete(handles()[indices[i]], statuses[i]);
}

void complete_index(int index, const MPI_Status* status) {
  if (index != MPI_UNDEFINED) complete(handles()[index], *status);
}

template <typename Real>
int wait_for_one(const Call& call, Real real, MPI_Request* request, MPI_Status* status) {
  return record_completion(
      call, 1, request, status, [&] { return real(request, status); }, always,
      [&] { complete_each(1, status); });
}

template <typename Real>
int wait_for_all(const Call& call, Real real, int count, MPI_Request* requests, MPI_Status* statuses) {
  return record_completion(
      call, count, requests, statuses, [&] { return real(count, requests, statuses); }, always,
      [&] { complete_each(count, statuses); });
}

template <typename Real>
int wait_for_any(const Call& call, Real real, int count, MPI_Request* requests, int* index,
                 MPI_Status* status) {
  return record_completion(
      call, count, requests, status, [&] { return real(count, requests, index, status); }, always,
      [&] { complete_index(*index, status); });
}

/// Records MPI_Waitsome and MPI_Testsome. Without a completed request the wait had none to wait for, and the
/// test was unsuccessful.
template <typename Real>
int complete_some(const Call& call, Real real, int count, MPI_Request* requests, int* done, int* indices,
                  MPI_Status* statuses) {
  return record_completion(
      call, count, requests, statuses, [&] { return real(count, requests, done, indices, statuses); },
      [&] { return call.id == CallId::Waitsome || *done != 0; },
      [&] { complete_indices(*done, indices, statuses); });
}

template <typename Real>
int test_one(const Call& call, Real real, MPI_Request* request, int* flag, MPI_Status* status) {
  return record_completion(
      call, 1, request, status, [&] { return real(request, flag, status); }, [&] { return *flag != 0; },
      [&] { complete_each(1, status); });
}

template <typename Real>
int test_all(const Call& call, Real real, int count, MPI_Request* requests, int* flag, MPI_Status* statuses) {
  return record_completion(
      call, count, requests, statuses, [&] { return real(count, requests, flag, statuses); },
      [&] { return *flag != 0; }, [&] { complete_each(count, statuses); });
}

template <typename Real>
int test_any(const Call& call, Real real, int count, MPI_Request* requests, int* index, int* flag,
             MPI_Status* status) {
  return record_completion(
      call, count, requests, status, [&] { return real(count, requests, index, flag, status); },
      [&] { return *flag != 0; }, [&] { complete_index(*index, status); });
}

/// Records a look at a request. It completes nothing, because the request stays active.
template <typename Real>
int get_request_status(const Call& call, Real real, MPI_Request request, int* flag, MPI_Status* status) {
  return record(
      call, nothing, [&] { return real(request, flag, status); },
      [&](const Call& made, const Message& none) {
        if (*flag == 0) return the_recorder->leave_unsuccessful(made, none);
        the_recorder->leave(made, none);
      });
}

/// Records a call on one request. `note` updates the table of active requests.
template <typename Real, typename Note>
int record_named(const Call& call, Real real, MPI_Request* request, Note note) {
  std::uint32_t number = 0;
  const auto describe = [&] {
    number = number_of(*request);
    note();
    return Message{};
  };
  return record(
      call, describe, [&] { return real(request); },
      [&](const Call& made, const Message& none) { the_recorder->leave(made, none, number); });
}

template <typename Real>
int free_request(const Call& call, Real real, MPI_Request* request) {
  return record_named(call, real, request, [&] { forget_request(*request); });
}

template <typename Real>
int cancel_request(const Call& call, Real real, MPI_Request* request) {
  return record_named(call, real, request, expect_cancelled);
}

/// Records a successful probe with the message's true source, tag and bytes. A matched message is stored
/// under its handle `matched`, because its receive names no communicator and it matches no other receive.
void leave_found(const Call& made, MPI_Comm communicator, const MPI_Status& status,
                 const MPI_Message* matched) {
  Group& group = the_recorder->groups.of(communicator);
  std::uint32_t number = 0;
  if (matched != nullptr && *matched != MPI_MESSAGE_NULL && *matched != MPI_MESSAGE_NO_PROC) {
    OpenRequest& open = the_recorder->requests.add(*matched);
    number = open.number = the_recorder->next_request();
    open.group = &group;
    ++group.receives;
  }
  the_recorder->leave(made, in_status(group, status), number);
}

template <typename Make>
int record_probe(const Call& call, MPI_Comm group, const StatusPlace& status, const MPI_Message* matched,
                 Make make) {
  return record(call, nothing, make,
                [&](const Call& made, const Message&) { leave_found(made, group, *status, matched); });
}

/// Records a non-blocking probe; `flag` says whether it found a message.
template <typename Make>
int record_probe_test(const Call& call, int from, int tag, MPI_Comm group, const int* flag,
                      const StatusPlace& status, const MPI_Message* matched, Make make) {
  return record(
      call, [&] { return with_peer(group, from, tag, 0, MPI_BYTE); }, make,
      [&](const Call& made, const Message& sought) {
        if (*flag == 0) return the_recorder->leave_unsuccessful(made, sought);
        leave_found(made, group, *status, matched);
      });
}

template <typename Real>
int probe(const Call& call, Real real, int from, int tag, MPI_Comm group, MPI_Status* status) {
  StatusPlace used(status);
  return record_probe(call, group, used, nullptr, [&] { return real(from, tag, group, used.get()); });
}

template <typename Real>
int probe_matched(const Call& call, Real real, int from, int tag, MPI_Comm group, MPI_Message* message,
                  MPI_Status* status) {
  StatusPlace used(status);
  return record_probe(call, group, used, message,
                      [&] { return real(from, tag, group, message, used.get()); });
}

template <typename Real>
int test_probe(const Call& call, Real real, int from, int tag, MPI_Comm group, int* flag,
               MPI_Status* status) {
  StatusPlace used(status);
  return record_probe_test(call, from, tag, group, flag, used, nullptr,
                           [&] { return real(from, tag, group, flag, used.get()); });
}

template <typename Real>
int test_probe_matched(const Call& call, Real real, int from, int tag, MPI_Comm group, int* flag,
                       MPI_Message* message, MPI_Status* status) {
  StatusPlace used(status);
  return record_probe_test(call, from, tag, group, flag, used, message,
                           [&] { return real(from, tag, group, flag, message, used.get()); });
}

/// A matched message that was not received yet; without a group if its source is MPI_PROC_NULL.
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

template <typename Real>
int receive_matched(const Call& call, Real real, void* data, int count, MPI_Datatype type,
                    MPI_Message* message, MPI_Status* status) {
  StatusPlace used(status);
  const MPI_Message handle = *message;
  return record(
      call, nothing, [&] { return real(data, count, type, message, used.get()); },
      [&](const Call& made, const Message& none) {
        const auto [group, number] = find_message(handle);
        the_recorder->leave(made, group == nullptr ? none : in_status(*group, *used), number);
        forget_message(handle, group);
      });
}

template <typename Real>
int begin_receive_matched(const Call& call, Real real, void* data, int count, MPI_Datatype type,
                          MPI_Message* message, MPI_Request* request) {
  const MPI_Message handle = *message;
  return record(
      call, [&] { return Message{.bytes = bytes_of(count, type)}; },
      [&] { return real(data, count, type, message, request); },
      [&](const Call& made, const Message& sought) {
        const auto [group, number] = find_message(handle);
        if (group == nullptr) return the_recorder->leave(made, {});
        Message of_group = sought;
        of_group.communicator = group->id;
        leave_matched_start(made, of_group, *request, *group, number);
        forget_message(handle, group);
      });
}

}  // namespace

LOADSHARE_RECORD(Wait, wait, 2, wait_for_one)
LOADSHARE_RECORD(Waitall, waitall, 3, wait_for_all)
LOADSHARE_RECORD(Waitany, waitany, 4, wait_for_any)
LOADSHARE_RECORD(Waitsome, waitsome, 5, complete_some)
LOADSHARE_RECORD(Test, test, 3, test_one)
LOADSHARE_RECORD(Testall, testall, 4, test_all)
LOADSHARE_RECORD(Testany, testany, 5, test_any)
LOADSHARE_RECORD(Testsome, testsome, 5, complete_some)
LOADSHARE_RECORD_C(Request_get_status, 3, get_request_status)
LOADSHARE_RECORD(Request_free, request_free, 1, free_request)
LOADSHARE_RECORD(Cancel, cancel, 1, cancel_request)
LOADSHARE_RECORD(Probe, probe, 4, probe)
LOADSHARE_RECORD(Mprobe, mprobe, 5, probe_matched)
LOADSHARE_RECORD(Iprobe, iprobe, 5, test_probe)
LOADSHARE_RECORD(Improbe, improbe, 6, test_probe_matched)
LOADSHARE_RECORD(Mrecv, mrecv, 5, receive_matched)
LOADSHARE_RECORD(Imrecv, imrecv, 5, begin_receive_matched)
