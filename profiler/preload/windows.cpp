#include "profiler/preload/messages.hpp"
#include "profiler/preload/record.hpp"

using namespace loadshare::profile;

namespace {

Message on_window(MPI_Win window) {
  return {.communicator = the_recorder->groups.of(window).id};
}

template <typename Real, typename... Arguments>
int make_window(const Call& call, Real real, Arguments... arguments) {
  note_unrecorded_creation();
  return record(
      call, nothing, [&] { return real(arguments...); },
      [&](const Call& made, const Message&) {
        Groups& groups = the_recorder->groups;
        Group& parent = groups.of(pick<MPI_Comm>(arguments...));
        const Group& group = groups.add_window(parent, *pick<MPI_Win*>(arguments...));
        the_recorder->leave(made, {.communicator = group.id});
      });
}

template <typename Real>
int free_window(const Call& call, Real real, MPI_Win* window) {
  const auto describe = [&] {
    const Message message = on_window(*window);
    the_recorder->groups.forget(*window);
    return message;
  };
  return record(call, describe, [&] { return real(window); });
}

template <typename Real, typename... Arguments>
int call_on_window(const Call& call, Real real, Arguments... arguments) {
  return record(
      call, [&] { return on_window(pick<MPI_Win>(arguments...)); }, [&] { return real(arguments...); });
}

/// Stores in the tag whether the program asserts that nothing precedes the fence; then it need not wait.
template <typename Real>
int fence(const Call& call, Real real, int assertion, MPI_Win window) {
  const auto describe = [&] {
    Message message = on_window(window);
    if ((assertion & MPI_MODE_NOPRECEDE) != 0) message.tag = nothing_precedes;
    return message;
  };
  return record(call, describe, [&] { return real(assertion, window); });
}

/// Describes a call that addresses one rank of the window.
Message towards(int target, MPI_Win window, std::int32_t tag = -1) {
  const Group& group = the_recorder->groups.of(window);
  return {.peer = Groups::world_rank(group, target), .tag = tag, .communicator = group.id};
}

/// Stores the kind of lock in the tag.
template <typename Real>
int lock_window(const Call& call, Real real, int type, int target, int assertion, MPI_Win window) {
  const std::int32_t lock = type == MPI_LOCK_EXCLUSIVE ? exclusive_lock : shared_lock;
  return record(
      call, [&] { return towards(target, window, lock); },
      [&] { return real(type, target, assertion, window); });
}

template <typename Real>
int call_towards(const Call& call, Real real, int target, MPI_Win window) {
  return record(
      call, [&] { return towards(target, window); }, [&] { return real(target, window); });
}

/// Records a call that names a group; its members are the call's parts.
template <typename Real>
int call_naming(const Call& call, Real real, MPI_Group named, int assertion, MPI_Win window) {
  return record(
      call, [&] { return on_window(window); }, [&] { return real(named, assertion, window); },
      [&](const Call& made, const Message& message) {
        the_recorder->leave(made, message);
        for (const std::int32_t rank : Groups::world_ranks_of(named))
          the_recorder->part(Part::member, {.peer = rank, .communicator = message.communicator}, 0);
      });
}

template <typename Real>
int test_window(const Call& call, Real real, MPI_Win window, int* flag) {
  return record(
      call, [&] { return on_window(window); }, [&] { return real(window, flag); },
      [&](const Call& made, const Message& message) {
        if (*flag == 0) return the_recorder->leave_unsuccessful(made, message);
        the_recorder->leave(made, message);
      });
}

}  // namespace

LOADSHARE_RECORD(Win_create, win_create, 6, make_window)
LOADSHARE_RECORD(Win_allocate, win_allocate, 6, make_window)
LOADSHARE_RECORD(Win_allocate_shared, win_allocate_shared, 6, make_window)
LOADSHARE_RECORD(Win_create_dynamic, win_create_dynamic, 3, make_window)
LOADSHARE_RECORD(Win_free, win_free, 1, free_window)
LOADSHARE_RECORD(Win_fence, win_fence, 2, fence)
LOADSHARE_RECORD(Win_complete, win_complete, 1, call_on_window)
LOADSHARE_RECORD(Win_wait, win_wait, 1, call_on_window)
LOADSHARE_RECORD(Win_test, win_test, 2, test_window)
LOADSHARE_RECORD(Win_start, win_start, 3, call_naming)
LOADSHARE_RECORD(Win_post, win_post, 3, call_naming)
LOADSHARE_RECORD(Win_lock, win_lock, 4, lock_window)
LOADSHARE_RECORD(Win_unlock, win_unlock, 2, call_towards)
LOADSHARE_RECORD(Win_lock_all, win_lock_all, 2, call_on_window)
LOADSHARE_RECORD(Win_unlock_all, win_unlock_all, 1, call_on_window)
LOADSHARE_RECORD(Win_flush, win_flush, 2, call_towards)
LOADSHARE_RECORD(Win_flush_all, win_flush_all, 1, call_on_window)
LOADSHARE_RECORD(Win_flush_local, win_flush_local, 2, call_towards)
LOADSHARE_RECORD(Win_flush_local_all, win_flush_local_all, 1, call_on_window)
LOADSHARE_RECORD(Win_sync, win_sync, 1, call_on_window)
