#include "profiler/preload/messages.hpp"
#include "profiler/preload/open_requests.hpp"
#include "profiler/preload/record.hpp"

using namespace loadshare::profile;

#define LOADSHARE_SEND(name)                                                                         \
  LOADSHARE_INTERPOSE(name)                                                                          \
  int PMPI_##name(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm group) { \
    return record(                                                                                   \
        CallId::name, LOADSHARE_PLACE, [&] { return with_peer(group, to, tag, count, type); },       \
        [&] { return real_##name(data, count, type, to, tag, group); });                             \
  }
LOADSHARE_SEND(Send)
LOADSHARE_SEND(Bsend)
LOADSHARE_SEND(Ssend)
LOADSHARE_SEND(Rsend)

LOADSHARE_INTERPOSE(Recv)
int PMPI_Recv(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm group,
              MPI_Status* status) {
  StatusPlace used(status);
  const void* place = LOADSHARE_PLACE;
  return record(
      CallId::Recv, place, [&] { return with_peer(group, from, tag, count, type); },
      [&] { return real_Recv(data, count, type, from, tag, group, used.get()); },
      [&](std::uint64_t begin_ticks, const Message&) {
        the_recorder->leave(CallId::Recv, begin_ticks, in_status(the_recorder->groups.of(group), *used),
                            place);
      });
}

namespace {

/// The call is its send; what it received is a part.
template <typename Describe, typename Make>
int exchange(CallId call, const void* place, Describe describe, MPI_Comm group, StatusPlace& status,
             Make make) {
  return record(call, place, describe, make, [&](std::uint64_t begin_ticks, const Message& sent) {
    the_recorder->leave(call, begin_ticks, sent, place);
    const Message received = in_status(the_recorder->groups.of(group), *status);
    if (received.peer >= 0) the_recorder->part(Part::received, received, 0);
  });
}

}  // namespace

LOADSHARE_INTERPOSE(Sendrecv)
int PMPI_Sendrecv(const void* out, int out_count, MPI_Datatype out_type, int to, int out_tag, void* in,
                  int in_count, MPI_Datatype in_type, int from, int in_tag, MPI_Comm group,
                  MPI_Status* status) {
  StatusPlace used(status);
  return exchange(
      CallId::Sendrecv, LOADSHARE_PLACE, [&] { return with_peer(group, to, out_tag, out_count, out_type); },
      group, used,
      [&] {
        return real_Sendrecv(out, out_count, out_type, to, out_tag, in, in_count, in_type, from, in_tag,
                             group, used.get());
      });
}

LOADSHARE_INTERPOSE(Sendrecv_replace)
int PMPI_Sendrecv_replace(void* data, int count, MPI_Datatype type, int to, int out_tag, int from, int in_tag,
                          MPI_Comm group, MPI_Status* status) {
  StatusPlace used(status);
  return exchange(
      CallId::Sendrecv_replace, LOADSHARE_PLACE, [&] { return with_peer(group, to, out_tag, count, type); },
      group, used,
      [&] { return real_Sendrecv_replace(data, count, type, to, out_tag, from, in_tag, group, used.get()); });
}

#define LOADSHARE_SEND_START(name, leave)                                                          \
  LOADSHARE_INTERPOSE(name)                                                                        \
  int PMPI_##name(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm group, \
                  MPI_Request* request) {                                                          \
    const void* place = LOADSHARE_PLACE;                                                           \
    return record(                                                                                 \
        CallId::name, place, [&] { return with_peer(group, to, tag, count, type); },               \
        [&] { return real_##name(data, count, type, to, tag, group, request); },                   \
        [&](std::uint64_t begin_ticks, const Message& message) {                                   \
          leave({CallId::name, begin_ticks, place}, message, *request, to);                        \
        });                                                                                        \
  }

namespace {

void leave_send(const MadeCall& made, const Message& message, MPI_Request request, int) {
  leave_send_start(made, message, request);
}

void leave_send_init(const MadeCall& made, const Message& message, MPI_Request request, int to) {
  leave_init(made, message, request, to, nullptr);
}

}  // namespace

LOADSHARE_SEND_START(Isend, leave_send)
LOADSHARE_SEND_START(Ibsend, leave_send)
LOADSHARE_SEND_START(Issend, leave_send)
LOADSHARE_SEND_START(Irsend, leave_send)
LOADSHARE_SEND_START(Send_init, leave_send_init)
LOADSHARE_SEND_START(Bsend_init, leave_send_init)
LOADSHARE_SEND_START(Ssend_init, leave_send_init)
LOADSHARE_SEND_START(Rsend_init, leave_send_init)

LOADSHARE_INTERPOSE(Irecv)
int PMPI_Irecv(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm group,
               MPI_Request* request) {
  const void* place = LOADSHARE_PLACE;
  return record(
      CallId::Irecv, place, [&] { return with_peer(group, from, tag, count, type); },
      [&] { return real_Irecv(data, count, type, from, tag, group, request); },
      [&](std::uint64_t begin_ticks, const Message& message) {
        leave_receive_start({CallId::Irecv, begin_ticks, place}, message, *request,
                            the_recorder->groups.of(group), from);
      });
}

LOADSHARE_INTERPOSE(Recv_init)
int PMPI_Recv_init(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm group,
                   MPI_Request* request) {
  const void* place = LOADSHARE_PLACE;
  return record(
      CallId::Recv_init, place, [&] { return with_peer(group, from, tag, count, type); },
      [&] { return real_Recv_init(data, count, type, from, tag, group, request); },
      [&](std::uint64_t begin_ticks, const Message& message) {
        leave_init({CallId::Recv_init, begin_ticks, place}, message, *request, from,
                   &the_recorder->groups.of(group));
      });
}

LOADSHARE_INTERPOSE(Start)
int PMPI_Start(MPI_Request* request) {
  const void* place = LOADSHARE_PLACE;
  return record(
      CallId::Start, place, [] { return Message{}; }, [&] { return real_Start(request); },
      [&](std::uint64_t begin_ticks, const Message&) {
        leave_started({CallId::Start, begin_ticks, place}, 1, request);
      });
}

LOADSHARE_INTERPOSE(Startall)
int PMPI_Startall(int count, MPI_Request* requests) {
  const void* place = LOADSHARE_PLACE;
  return record(
      CallId::Startall, place, [] { return Message{}; }, [&] { return real_Startall(count, requests); },
      [&](std::uint64_t begin_ticks, const Message&) {
        leave_started({CallId::Startall, begin_ticks, place}, count, requests);
      });
}

namespace {

Message with_target(MPI_Win window, int target, std::uint64_t bytes) {
  const Group& group = the_recorder->groups.of(window);
  if (target == MPI_PROC_NULL) return {.communicator = group.id};
  return {.bytes = bytes, .peer = Groups::world_rank(group, target), .communicator = group.id};
}

}  // namespace

#define LOADSHARE_TRANSFER(name, bytes, parameters, arguments)                             \
  LOADSHARE_INTERPOSE(name)                                                                \
  int PMPI_##name(LOADSHARE_LIST parameters, MPI_Win window) {                             \
    return record(                                                                         \
        CallId::name, LOADSHARE_PLACE, [&] { return with_target(window, target, bytes); }, \
        [&] { return real_##name(LOADSHARE_LIST arguments, window); });                    \
  }

/// With the form that gives a request.
#define LOADSHARE_TRANSFERS(name, start, bytes, parameters, arguments)                \
  LOADSHARE_TRANSFER(name, bytes, parameters, arguments)                              \
  LOADSHARE_INTERPOSE(start)                                                          \
  int PMPI_##start(LOADSHARE_LIST parameters, MPI_Win window, MPI_Request* request) { \
    const void* place = LOADSHARE_PLACE;                                              \
    return record(                                                                    \
        CallId::start, place, [&] { return with_target(window, target, bytes); },     \
        [&] { return real_##start(LOADSHARE_LIST arguments, window, request); },      \
        [&](std::uint64_t begin_ticks, const Message& message) {                      \
          leave_send_start({CallId::start, begin_ticks, place}, message, *request);   \
        });                                                                           \
  }

LOADSHARE_TRANSFERS(Put, Rput, bytes_of(count, type),
                    (const void* data, int count, MPI_Datatype type, int target, MPI_Aint at,
                     int target_count, MPI_Datatype target_type),
                    (data, count, type, target, at, target_count, target_type))
LOADSHARE_TRANSFERS(Get, Rget, bytes_of(count, type),
                    (void* data, int count, MPI_Datatype type, int target, MPI_Aint at, int target_count,
                     MPI_Datatype target_type),
                    (data, count, type, target, at, target_count, target_type))
LOADSHARE_TRANSFERS(Accumulate, Raccumulate, bytes_of(count, type),
                    (const void* data, int count, MPI_Datatype type, int target, MPI_Aint at,
                     int target_count, MPI_Datatype target_type, MPI_Op operation),
                    (data, count, type, target, at, target_count, target_type, operation))
LOADSHARE_TRANSFERS(Get_accumulate, Rget_accumulate, bytes_of(target_count, target_type),
                    (const void* data, int count, MPI_Datatype type, void* result, int result_count,
                     MPI_Datatype result_type, int target, MPI_Aint at, int target_count,
                     MPI_Datatype target_type, MPI_Op operation),
                    (data, count, type, result, result_count, result_type, target, at, target_count,
                     target_type, operation))
LOADSHARE_TRANSFER(Fetch_and_op, bytes_of(1, type),
                   (const void* data, void* result, MPI_Datatype type, int target, MPI_Aint at,
                    MPI_Op operation),
                   (data, result, type, target, at, operation))
LOADSHARE_TRANSFER(Compare_and_swap, bytes_of(1, type),
                   (const void* data, const void* compared, void* result, MPI_Datatype type, int target,
                    MPI_Aint at),
                   (data, compared, result, type, target, at))
