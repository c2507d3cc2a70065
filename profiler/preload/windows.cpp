#include "profiler/preload/messages.hpp"
#include "profiler/preload/record.hpp"

using namespace loadshare::profile;

namespace {

Message on_window(MPI_Win window) {
  return {.communicator = the_recorder->groups.of(window).id};
}

Message towards(MPI_Win window, int target) {
  const Group& group = the_recorder->groups.of(window);
  return {.peer = Groups::world_rank(group, target), .communicator = group.id};
}

template <typename Make>
int record_making_window(CallId call, const void* place, MPI_Comm from, const MPI_Win* made, Make make) {
  making_elsewhere();
  return record(
      call, place, [] { return Message{}; }, make,
      [&](std::uint64_t begin_ticks, const Message&) {
        Groups& groups = the_recorder->groups;
        const Group& group = groups.add_window(groups.of(from), *made);
        the_recorder->leave(call, begin_ticks, {.communicator = group.id}, place);
      });
}

/// Those named by the group are the call's parts.
template <typename Make>
int record_naming(CallId call, const void* place, MPI_Group named, MPI_Win window, Make make) {
  return record(
      call, place, [&] { return on_window(window); }, make,
      [&](std::uint64_t begin_ticks, const Message& message) {
        the_recorder->leave(call, begin_ticks, message, place);
        for (const std::int32_t rank : Groups::world_ranks_of(named))
          the_recorder->part(Part::member, {.peer = rank, .communicator = message.communicator}, 0);
      });
}

}  // namespace

#define LOADSHARE_MAKES_WINDOW(name, parameters, arguments)                 \
  LOADSHARE_INTERPOSE(name)                                                 \
  int PMPI_##name parameters {                                              \
    return record_making_window(CallId::name, LOADSHARE_PLACE, group, made, \
                                [&] { return real_##name arguments; });     \
  }

LOADSHARE_MAKES_WINDOW(Win_create,
                       (void* base, MPI_Aint bytes, int unit, MPI_Info info, MPI_Comm group, MPI_Win* made),
                       (base, bytes, unit, info, group, made))
LOADSHARE_MAKES_WINDOW(Win_allocate,
                       (MPI_Aint bytes, int unit, MPI_Info info, MPI_Comm group, void* base, MPI_Win* made),
                       (bytes, unit, info, group, base, made))
LOADSHARE_MAKES_WINDOW(Win_allocate_shared,
                       (MPI_Aint bytes, int unit, MPI_Info info, MPI_Comm group, void* base, MPI_Win* made),
                       (bytes, unit, info, group, base, made))
LOADSHARE_MAKES_WINDOW(Win_create_dynamic, (MPI_Info info, MPI_Comm group, MPI_Win* made),
                       (info, group, made))

LOADSHARE_INTERPOSE(Win_free)
int PMPI_Win_free(MPI_Win* window) {
  const auto describe = [&] {
    const Message message = on_window(*window);
    the_recorder->groups.forget(*window);
    return message;
  };
  return record(CallId::Win_free, LOADSHARE_PLACE, describe, [&] { return real_Win_free(window); });
}

#define LOADSHARE_ON_WINDOW(name, message, parameters, arguments)                                       \
  LOADSHARE_INTERPOSE(name)                                                                             \
  int PMPI_##name parameters {                                                                          \
    return record(                                                                                      \
        CallId::name, LOADSHARE_PLACE, [&] { return message; }, [&] { return real_##name arguments; }); \
  }

LOADSHARE_ON_WINDOW(Win_fence, on_window(window), (int assertion, MPI_Win window), (assertion, window))
LOADSHARE_ON_WINDOW(Win_complete, on_window(window), (MPI_Win window), (window))
LOADSHARE_ON_WINDOW(Win_wait, on_window(window), (MPI_Win window), (window))
LOADSHARE_ON_WINDOW(Win_lock, towards(window, target), (int type, int target, int assertion, MPI_Win window),
                    (type, target, assertion, window))
LOADSHARE_ON_WINDOW(Win_unlock, towards(window, target), (int target, MPI_Win window), (target, window))
LOADSHARE_ON_WINDOW(Win_lock_all, on_window(window), (int assertion, MPI_Win window), (assertion, window))
LOADSHARE_ON_WINDOW(Win_unlock_all, on_window(window), (MPI_Win window), (window))
LOADSHARE_ON_WINDOW(Win_flush, towards(window, target), (int target, MPI_Win window), (target, window))
LOADSHARE_ON_WINDOW(Win_flush_all, on_window(window), (MPI_Win window), (window))
LOADSHARE_ON_WINDOW(Win_flush_local, towards(window, target), (int target, MPI_Win window), (target, window))
LOADSHARE_ON_WINDOW(Win_flush_local_all, on_window(window), (MPI_Win window), (window))
LOADSHARE_ON_WINDOW(Win_sync, on_window(window), (MPI_Win window), (window))

LOADSHARE_INTERPOSE(Win_start)
int PMPI_Win_start(MPI_Group named, int assertion, MPI_Win window) {
  return record_naming(CallId::Win_start, LOADSHARE_PLACE, named, window,
                       [&] { return real_Win_start(named, assertion, window); });
}

LOADSHARE_INTERPOSE(Win_post)
int PMPI_Win_post(MPI_Group named, int assertion, MPI_Win window) {
  return record_naming(CallId::Win_post, LOADSHARE_PLACE, named, window,
                       [&] { return real_Win_post(named, assertion, window); });
}

LOADSHARE_INTERPOSE(Win_test)
int PMPI_Win_test(MPI_Win window, int* flag) {
  const void* place = LOADSHARE_PLACE;
  return record(
      CallId::Win_test, place, [&] { return on_window(window); }, [&] { return real_Win_test(window, flag); },
      [&](std::uint64_t begin_ticks, const Message& message) {
        if (*flag == 0) return the_recorder->leave_in_vain(CallId::Win_test, begin_ticks, message, place);
        the_recorder->leave(CallId::Win_test, begin_ticks, message, place);
      });
}
