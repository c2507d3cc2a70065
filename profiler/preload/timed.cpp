#include "profiler/preload/messages.hpp"
#include "profiler/preload/record.hpp"

using namespace loadshare::profile;

// Calls that may take long. Only their time is recorded, and for calls on a file that file.

namespace {

template <typename Real, typename... Arguments>
int timed(const Call& call, Real real, Arguments... arguments) {
  return record(call, nothing, [&] { return real(arguments...); });
}

template <typename Real, typename... Arguments>
int on_file(const Call& call, Real real, MPI_File file, Arguments... arguments) {
  return record(
      call, [&] { return Message{.communicator = the_recorder->groups.of(file).id}; },
      [&] { return real(file, arguments...); });
}

/// Records MPI_File_open, which is collective over the communicator. Files that other threads open are
/// unknown.
template <typename Real, typename... Arguments>
int open_file(const Call& call, Real real, MPI_Comm communicator, Arguments... arguments) {
  note_unrecorded_creation();
  return record(
      call, [&] { return Message{.communicator = the_recorder->groups.of(communicator).id}; },
      [&] { return real(communicator, arguments...); },
      [&](const Call& made, const Message& message) {
        Groups& groups = the_recorder->groups;
        groups.add_file(groups.of(communicator), *pick<MPI_File*>(arguments...));
        the_recorder->leave(made, message);
      });
}

template <typename Real>
int close_file(const Call& call, Real real, MPI_File* file) {
  const auto describe = [&] {
    const Message message{.communicator = the_recorder->groups.of(*file).id};
    the_recorder->groups.forget(*file);
    return message;
  };
  return record(call, describe, [&] { return real(file); });
}

}  // namespace

LOADSHARE_RECORD_C(Buffer_detach, 2, timed)
LOADSHARE_RECORD_C(Comm_spawn, 8, timed)
LOADSHARE_RECORD_C(Comm_spawn_multiple, 9, timed)
LOADSHARE_RECORD_C(Comm_accept, 5, timed)
LOADSHARE_RECORD_C(Comm_connect, 5, timed)
LOADSHARE_RECORD_C(Comm_join, 2, timed)
LOADSHARE_RECORD_C(File_open, 5, open_file)
LOADSHARE_RECORD_C(File_close, 1, close_file)
LOADSHARE_RECORD_C(File_delete, 2, timed)
LOADSHARE_RECORD_C(File_sync, 1, on_file)
LOADSHARE_RECORD_C(File_set_size, 2, on_file)
LOADSHARE_RECORD_C(File_preallocate, 2, on_file)
LOADSHARE_RECORD_C(File_set_view, 6, on_file)
LOADSHARE_RECORD_C(File_read, 5, on_file)
LOADSHARE_RECORD_C(File_read_all, 5, on_file)
LOADSHARE_RECORD_C(File_read_shared, 5, on_file)
LOADSHARE_RECORD_C(File_read_ordered, 5, on_file)
LOADSHARE_RECORD_C(File_iread, 5, on_file)
LOADSHARE_RECORD_C(File_iread_all, 5, on_file)
LOADSHARE_RECORD_C(File_iread_shared, 5, on_file)
LOADSHARE_RECORD_C(File_write, 5, on_file)
LOADSHARE_RECORD_C(File_write_all, 5, on_file)
LOADSHARE_RECORD_C(File_write_shared, 5, on_file)
LOADSHARE_RECORD_C(File_write_ordered, 5, on_file)
LOADSHARE_RECORD_C(File_iwrite, 5, on_file)
LOADSHARE_RECORD_C(File_iwrite_all, 5, on_file)
LOADSHARE_RECORD_C(File_iwrite_shared, 5, on_file)
LOADSHARE_RECORD_C(File_read_at, 6, on_file)
LOADSHARE_RECORD_C(File_read_at_all, 6, on_file)
LOADSHARE_RECORD_C(File_iread_at, 6, on_file)
LOADSHARE_RECORD_C(File_iread_at_all, 6, on_file)
LOADSHARE_RECORD_C(File_write_at, 6, on_file)
LOADSHARE_RECORD_C(File_write_at_all, 6, on_file)
LOADSHARE_RECORD_C(File_iwrite_at, 6, on_file)
LOADSHARE_RECORD_C(File_iwrite_at_all, 6, on_file)
LOADSHARE_RECORD_C(File_read_all_begin, 4, on_file)
LOADSHARE_RECORD_C(File_read_all_end, 3, on_file)
LOADSHARE_RECORD_C(File_read_ordered_begin, 4, on_file)
LOADSHARE_RECORD_C(File_read_ordered_end, 3, on_file)
LOADSHARE_RECORD_C(File_write_all_begin, 4, on_file)
LOADSHARE_RECORD_C(File_write_all_end, 3, on_file)
LOADSHARE_RECORD_C(File_write_ordered_begin, 4, on_file)
LOADSHARE_RECORD_C(File_write_ordered_end, 3, on_file)
LOADSHARE_RECORD_C(File_read_at_all_begin, 5, on_file)
LOADSHARE_RECORD_C(File_read_at_all_end, 3, on_file)
LOADSHARE_RECORD_C(File_write_at_all_begin, 5, on_file)
LOADSHARE_RECORD_C(File_write_at_all_end, 3, on_file)

// Stores the level in the tag. MPI ignores the other arguments, so they are dropped.
LOADSHARE_INTERPOSE(Pcontrol)
int PMPI_Pcontrol(const int level, ...) {
  return record(
      LOADSHARE_CALL(Pcontrol), [&] { return Message{.tag = level}; }, [&] { return real_Pcontrol(level); },
      [&](const Call& call, const Message& message) {
        the_recorder->leave(call, message);
        the_recorder->mark(level);
      });
}
