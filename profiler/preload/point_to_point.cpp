#include "profiler/preload/messages.hpp"
#include "profiler/preload/record.hpp"

using namespace loadshare::profile;

namespace {

template <typename Real>
int send_message(const Call& call, Real real, const void* data, int count, MPI_Datatype type, int to, int tag,
                 MPI_Comm group) {
  return record(
      call, [&] { return with_peer(group, to, tag, count, type); },
      [&] { return real(data, count, type, to, tag, group); });
}

template <typename Real>
int receive_message(const Call& call, Real real, void* data, int count, MPI_Datatype type, int from, int tag,
                    MPI_Comm group, MPI_Status* status) {
  StatusPlace used(status);
  return record(
      call, [&] { return with_peer(group, from, tag, count, type); },
      [&] { return real(data, count, type, from, tag, group, used.get()); },
      [&](const Call& made, const Message&) {
        the_recorder->leave(made, in_status(the_recorder->groups.of(group), *used));
      });
}

/// Records an exchange: the call is its send, the received message is a part.
template <typename Describe, typename Make>
int record_exchange(const Call& call, MPI_Comm group, StatusPlace& status, Describe describe, Make make) {
  return record(call, describe, make, [&](const Call& made, const Message& sent) {
    the_recorder->leave(made, sent);
    const Message received = in_status(the_recorder->groups.of(group), *status);
    if (received.peer >= 0) the_recorder->part(Part::received, received, 0);
  });
}

template <typename Real>
int exchange(const Call& call, Real real, const void* out, int out_count, MPI_Datatype out_type, int to,
             int out_tag, void* in, int in_count, MPI_Datatype in_type, int from, int in_tag, MPI_Comm group,
             MPI_Status* status) {
  StatusPlace used(status);
  return record_exchange(
      call, group, used, [&] { return with_peer(group, to, out_tag, out_count, out_type); },
      [&] {
        return real(out, out_count, out_type, to, out_tag, in, in_count, in_type, from, in_tag, group,
                    used.get());
      });
}

template <typename Real>
int exchange_in_place(const Call& call, Real real, void* data, int count, MPI_Datatype type, int to,
                      int out_tag, int from, int in_tag, MPI_Comm group, MPI_Status* status) {
  StatusPlace used(status);
  return record_exchange(
      call, group, used, [&] { return with_peer(group, to, out_tag, count, type); },
      [&] { return real(data, count, type, to, out_tag, from, in_tag, group, used.get()); });
}

/// Starts or prepares a message; `leave` records it.
template <auto leave, typename Real, typename Data>
int begin_message(const Call& call, Real real, Data data, int count, MPI_Datatype type, int peer, int tag,
                  MPI_Comm group, MPI_Request* request) {
  return record(
      call, [&] { return with_peer(group, peer, tag, count, type); },
      [&] { return real(data, count, type, peer, tag, group, request); },
      [&](const Call& made, const Message& message) { leave(made, message, *request, group, peer); });
}

void leave_send(const Call& made, const Message& message, MPI_Request request, MPI_Comm, int) {
  leave_send_start(made, message, request);
}
void leave_receive(const Call& made, const Message& message, MPI_Request request, MPI_Comm group, int from) {
  leave_receive_start(made, message, request, the_recorder->groups.of(group), from);
}
void leave_send_init(const Call& made, const Message& message, MPI_Request request, MPI_Comm, int to) {
  leave_init(made, message, request, to, nullptr);
}
void leave_receive_init(const Call& made, const Message& message, MPI_Request request, MPI_Comm group,
                        int from) {
  leave_init(made, message, request, from, &the_recorder->groups.of(group));
}

template <typename Real>
int start_one(const Call& call, Real real, MPI_Request* request) {
  return record(
      call, nothing, [&] { return real(request); },
      [&](const Call& made, const Message&) { leave_started(made, 1, request); });
}

template <typename Real>
int start_all(const Call& call, Real real, int count, MPI_Request* requests) {
  return record(
      call, nothing, [&] { return real(count, requests); },
      [&](const Call& made, const Message&) { leave_started(made, count, requests); });
}

/// Records a transfer of `count` elements to or from `target`. `rest` are the last arguments of the call: its
/// window and, for a request-based transfer, its request.
template <typename Make, typename... Rest>
int record_transfer(const Call& call, int target, int count, MPI_Datatype type, Make make, Rest... rest) {
  const auto describe = [&]() -> Message {
    const Group& group = the_recorder->groups.of(pick<MPI_Win>(rest...));
    if (target == MPI_PROC_NULL) return {.communicator = group.id};
    return {
        .bytes = bytes_of(count, type), .peer = Groups::world_rank(group, target), .communicator = group.id};
  };
  return record(call, describe, make, [&](const Call& made, const Message& message) {
    if constexpr ((std::is_same_v<Rest, MPI_Request*> || ...))
      leave_send_start(made, message, *pick<MPI_Request*>(rest...));
    else
      the_recorder->leave(made, message);
  });
}

template <typename Real, typename Data, typename... Rest>
int transfer(const Call& call, Real real, Data data, int count, MPI_Datatype type, int target, MPI_Aint at,
             int target_count, MPI_Datatype target_type, Rest... rest) {
  return record_transfer(
      call, target, count, type,
      [&] { return real(data, count, type, target, at, target_count, target_type, rest...); }, rest...);
}

template <typename Real, typename... Rest>
int get_and_add(const Call& call, Real real, const void* data, int count, MPI_Datatype type, void* result,
                int result_count, MPI_Datatype result_type, int target, MPI_Aint at, int target_count,
                MPI_Datatype target_type, Rest... rest) {
  return record_transfer(
      call, target, target_count, target_type,
      [&] {
        return real(data, count, type, result, result_count, result_type, target, at, target_count,
                    target_type, rest...);
      },
      rest...);
}

template <typename Real>
int fetch_one(const Call& call, Real real, const void* data, void* result, MPI_Datatype type, int target,
              MPI_Aint at, MPI_Op operation, MPI_Win window) {
  return record_transfer(
      call, target, 1, type, [&] { return real(data, result, type, target, at, operation, window); }, window);
}

template <typename Real>
int swap_one(const Call& call, Real real, const void* data, const void* compared, void* result,
             MPI_Datatype type, int target, MPI_Aint at, MPI_Win window) {
  return record_transfer(
      call, target, 1, type, [&] { return real(data, compared, result, type, target, at, window); }, window);
}

}  // namespace

LOADSHARE_RECORD(Send, send, 6, send_message)
LOADSHARE_RECORD(Bsend, bsend, 6, send_message)
LOADSHARE_RECORD(Ssend, ssend, 6, send_message)
LOADSHARE_RECORD(Rsend, rsend, 6, send_message)
LOADSHARE_RECORD(Recv, recv, 7, receive_message)
LOADSHARE_RECORD(Sendrecv, sendrecv, 12, exchange)
LOADSHARE_RECORD(Sendrecv_replace, sendrecv_replace, 9, exchange_in_place)
LOADSHARE_RECORD(Isend, isend, 7, begin_message<leave_send>)
LOADSHARE_RECORD(Ibsend, ibsend, 7, begin_message<leave_send>)
LOADSHARE_RECORD(Issend, issend, 7, begin_message<leave_send>)
LOADSHARE_RECORD(Irsend, irsend, 7, begin_message<leave_send>)
LOADSHARE_RECORD(Irecv, irecv, 7, begin_message<leave_receive>)
LOADSHARE_RECORD(Send_init, send_init, 7, begin_message<leave_send_init>)
LOADSHARE_RECORD(Bsend_init, bsend_init, 7, begin_message<leave_send_init>)
LOADSHARE_RECORD(Ssend_init, ssend_init, 7, begin_message<leave_send_init>)
LOADSHARE_RECORD(Rsend_init, rsend_init, 7, begin_message<leave_send_init>)
LOADSHARE_RECORD(Recv_init, recv_init, 7, begin_message<leave_receive_init>)
LOADSHARE_RECORD(Start, start, 1, start_one)
LOADSHARE_RECORD(Startall, startall, 2, start_all)
LOADSHARE_RECORD(Put, put, 8, transfer)
LOADSHARE_RECORD(Rput, rput, 9, transfer)
LOADSHARE_RECORD(Get, get, 8, transfer)
LOADSHARE_RECORD(Rget, rget, 9, transfer)
LOADSHARE_RECORD(Accumulate, accumulate, 9, transfer)
LOADSHARE_RECORD(Raccumulate, raccumulate, 10, transfer)
LOADSHARE_RECORD(Get_accumulate, get_accumulate, 12, get_and_add)
LOADSHARE_RECORD(Rget_accumulate, rget_accumulate, 13, get_and_add)
LOADSHARE_RECORD(Fetch_and_op, fetch_and_op, 7, fetch_one)
LOADSHARE_RECORD(Compare_and_swap, compare_and_swap, 7, swap_one)
