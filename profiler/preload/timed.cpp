#include "profiler/preload/record.hpp"

using namespace loadshare::profile;

// Calls that may take their time, and of which nothing more is told.

#define LOADSHARE_TIMED(name, parameters, arguments)                                                     \
  LOADSHARE_INTERPOSE(name)                                                                              \
  int PMPI_##name parameters {                                                                           \
    return record(                                                                                       \
        CallId::name, LOADSHARE_PLACE, [] { return Message{}; }, [&] { return real_##name arguments; }); \
  }

LOADSHARE_TIMED(Buffer_detach, (void* buffer, int* bytes), (buffer, bytes))

LOADSHARE_TIMED(Comm_spawn,
                (const char* command, char** words, int ranks, MPI_Info info, int root, MPI_Comm group,
                 MPI_Comm* made, int* errors),
                (command, words, ranks, info, root, group, made, errors))
LOADSHARE_TIMED(Comm_spawn_multiple,
                (int count, char** commands, char*** words, const int* ranks, const MPI_Info* infos, int root,
                 MPI_Comm group, MPI_Comm* made, int* errors),
                (count, commands, words, ranks, infos, root, group, made, errors))
LOADSHARE_TIMED(Comm_accept, (const char* port, MPI_Info info, int root, MPI_Comm group, MPI_Comm* made),
                (port, info, root, group, made))
LOADSHARE_TIMED(Comm_connect, (const char* port, MPI_Info info, int root, MPI_Comm group, MPI_Comm* made),
                (port, info, root, group, made))
LOADSHARE_TIMED(Comm_join, (int socket, MPI_Comm* made), (socket, made))

// The level stands where messages have their tag. MPI gives it no meaning, so what else was said is let go.
LOADSHARE_INTERPOSE(Pcontrol)
int PMPI_Pcontrol(const int level, ...) {
  return record(
      CallId::Pcontrol, LOADSHARE_PLACE,
      [&] {
        Message message;
        message.tag = level;
        return message;
      },
      [&] { return real_Pcontrol(level); });
}

LOADSHARE_TIMED(File_open, (MPI_Comm group, const char* name, int mode, MPI_Info info, MPI_File* file),
                (group, name, mode, info, file))
LOADSHARE_TIMED(File_close, (MPI_File * file), (file))
LOADSHARE_TIMED(File_delete, (const char* name, MPI_Info info), (name, info))
LOADSHARE_TIMED(File_sync, (MPI_File file), (file))
LOADSHARE_TIMED(File_set_size, (MPI_File file, MPI_Offset bytes), (file, bytes))
LOADSHARE_TIMED(File_preallocate, (MPI_File file, MPI_Offset bytes), (file, bytes))
LOADSHARE_TIMED(File_set_view,
                (MPI_File file, MPI_Offset at, MPI_Datatype element, MPI_Datatype type, const char* form,
                 MPI_Info info),
                (file, at, element, type, form, info))

// `data` is what is read into or written from; `last` where the status or the request goes.
#define LOADSHARE_TIMED_FILE(name, data_type, last_type)                                               \
  LOADSHARE_TIMED(name, (MPI_File file, data_type data, int count, MPI_Datatype type, last_type last), \
                  (file, data, count, type, last))
#define LOADSHARE_TIMED_FILE_AT(name, data_type, last_type)                                               \
  LOADSHARE_TIMED(                                                                                        \
      name, (MPI_File file, MPI_Offset at, data_type data, int count, MPI_Datatype type, last_type last), \
      (file, at, data, count, type, last))
#define LOADSHARE_TIMED_FILE_SPLIT(name, data_type)                                            \
  LOADSHARE_TIMED(name##_begin, (MPI_File file, data_type data, int count, MPI_Datatype type), \
                  (file, data, count, type))                                                   \
  LOADSHARE_TIMED(name##_end, (MPI_File file, data_type data, MPI_Status * status), (file, data, status))
#define LOADSHARE_TIMED_FILE_SPLIT_AT(name, data_type)                                          \
  LOADSHARE_TIMED(name##_begin,                                                                 \
                  (MPI_File file, MPI_Offset at, data_type data, int count, MPI_Datatype type), \
                  (file, at, data, count, type))                                                \
  LOADSHARE_TIMED(name##_end, (MPI_File file, data_type data, MPI_Status * status), (file, data, status))

LOADSHARE_TIMED_FILE(File_read, void*, MPI_Status*)
LOADSHARE_TIMED_FILE(File_read_all, void*, MPI_Status*)
LOADSHARE_TIMED_FILE(File_read_shared, void*, MPI_Status*)
LOADSHARE_TIMED_FILE(File_read_ordered, void*, MPI_Status*)
LOADSHARE_TIMED_FILE(File_iread, void*, MPI_Request*)
LOADSHARE_TIMED_FILE(File_iread_all, void*, MPI_Request*)
LOADSHARE_TIMED_FILE(File_iread_shared, void*, MPI_Request*)
LOADSHARE_TIMED_FILE(File_write, const void*, MPI_Status*)
LOADSHARE_TIMED_FILE(File_write_all, const void*, MPI_Status*)
LOADSHARE_TIMED_FILE(File_write_shared, const void*, MPI_Status*)
LOADSHARE_TIMED_FILE(File_write_ordered, const void*, MPI_Status*)
LOADSHARE_TIMED_FILE(File_iwrite, const void*, MPI_Request*)
LOADSHARE_TIMED_FILE(File_iwrite_all, const void*, MPI_Request*)
LOADSHARE_TIMED_FILE(File_iwrite_shared, const void*, MPI_Request*)
LOADSHARE_TIMED_FILE_AT(File_read_at, void*, MPI_Status*)
LOADSHARE_TIMED_FILE_AT(File_read_at_all, void*, MPI_Status*)
LOADSHARE_TIMED_FILE_AT(File_iread_at, void*, MPI_Request*)
LOADSHARE_TIMED_FILE_AT(File_iread_at_all, void*, MPI_Request*)
LOADSHARE_TIMED_FILE_AT(File_write_at, const void*, MPI_Status*)
LOADSHARE_TIMED_FILE_AT(File_write_at_all, const void*, MPI_Status*)
LOADSHARE_TIMED_FILE_AT(File_iwrite_at, const void*, MPI_Request*)
LOADSHARE_TIMED_FILE_AT(File_iwrite_at_all, const void*, MPI_Request*)
LOADSHARE_TIMED_FILE_SPLIT(File_read_all, void*)
LOADSHARE_TIMED_FILE_SPLIT(File_read_ordered, void*)
LOADSHARE_TIMED_FILE_SPLIT(File_write_all, const void*)
LOADSHARE_TIMED_FILE_SPLIT(File_write_ordered, const void*)
LOADSHARE_TIMED_FILE_SPLIT_AT(File_read_at_all, void*)
LOADSHARE_TIMED_FILE_SPLIT_AT(File_write_at_all, const void*)
