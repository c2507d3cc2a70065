#include "runtime/profile/interpose/open_requests.hpp"
#include "runtime/profile/interpose/record.hpp"

using namespace loadshare::profile;

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
