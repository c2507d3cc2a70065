#include "runtime/profile/interpose/open_requests.hpp"
#include "runtime/profile/interpose/record.hpp"

using namespace loadshare::profile;

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
