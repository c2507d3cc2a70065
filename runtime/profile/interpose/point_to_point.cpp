#include "runtime/profile/interpose/messages.hpp"
#include "runtime/profile/interpose/record.hpp"

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
