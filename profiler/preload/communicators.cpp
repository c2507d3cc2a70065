#include "profiler/preload/open_requests.hpp"
#include "profiler/preload/record.hpp"

using namespace loadshare::profile;

namespace {

/// The call is told as one on the communicator that it is made from.
template <typename Make, typename Register>
int record_making(CallId call, const void* place, MPI_Comm from, Make make, Register add) {
  making_elsewhere();
  return record(
      call, place, [&] { return Message{.communicator = the_recorder->groups.of(from).id}; }, make,
      [&](std::uint64_t begin_ticks, const Message& message) {
        add();
        the_recorder->leave(call, begin_ticks, message, place);
      });
}

/// Collective over `from`: all its ranks count it.
template <typename Make>
int record_from(CallId call, const char* name, const void* place, MPI_Comm from, const MPI_Comm* made,
                Make make) {
  return record_making(call, place, from, make, [&] {
    Groups& groups = the_recorder->groups;
    groups.add_made_from(groups.of(from), *made, name);
  });
}

/// Only the members take part.
template <typename Make>
int record_by_members(CallId call, const char* name, const void* place, MPI_Comm from, int tag,
                      const MPI_Comm* made, Make make) {
  return record_making(call, place, from, make, [&] {
    if (*made != MPI_COMM_NULL) the_recorder->groups.add_made_by_members(*made, tag, name);
  });
}

/// The handle may be another communicator's as soon as MPI has freed it.
template <typename Make>
int record_freeing(CallId call, const void* place, MPI_Comm communicator, Make make) {
  return record(
      call, place,
      [&] {
        Groups& groups = the_recorder->groups;
        const Message message{.communicator = groups.of(communicator).id};
        if (communicator != MPI_COMM_WORLD) groups.forget(communicator);
        return message;
      },
      make);
}

}  // namespace

#define LOADSHARE_MAKES_COMMUNICATOR(name, parameters, arguments)                \
  LOADSHARE_INTERPOSE(name)                                                      \
  int PMPI_##name parameters {                                                   \
    return record_from(CallId::name, "MPI_" #name, LOADSHARE_PLACE, group, made, \
                       [&] { return real_##name arguments; });                   \
  }

LOADSHARE_MAKES_COMMUNICATOR(Comm_dup, (MPI_Comm group, MPI_Comm* made), (group, made))
LOADSHARE_MAKES_COMMUNICATOR(Comm_dup_with_info, (MPI_Comm group, MPI_Info info, MPI_Comm* made),
                             (group, info, made))
LOADSHARE_MAKES_COMMUNICATOR(Comm_split, (MPI_Comm group, int color, int key, MPI_Comm* made),
                             (group, color, key, made))
LOADSHARE_MAKES_COMMUNICATOR(Comm_split_type,
                             (MPI_Comm group, int type, int key, MPI_Info info, MPI_Comm* made),
                             (group, type, key, info, made))
LOADSHARE_MAKES_COMMUNICATOR(Comm_create, (MPI_Comm group, MPI_Group members, MPI_Comm* made),
                             (group, members, made))
LOADSHARE_MAKES_COMMUNICATOR(Cart_create,
                             (MPI_Comm group, int dimensions, const int* sizes, const int* periods,
                              int reorder, MPI_Comm* made),
                             (group, dimensions, sizes, periods, reorder, made))
LOADSHARE_MAKES_COMMUNICATOR(Cart_sub, (MPI_Comm group, const int* remaining, MPI_Comm* made),
                             (group, remaining, made))
LOADSHARE_MAKES_COMMUNICATOR(Graph_create,
                             (MPI_Comm group, int nodes, const int* index, const int* edges, int reorder,
                              MPI_Comm* made),
                             (group, nodes, index, edges, reorder, made))
LOADSHARE_MAKES_COMMUNICATOR(Dist_graph_create,
                             (MPI_Comm group, int count, const int* nodes, const int* degrees,
                              const int* targets, const int* weights, MPI_Info info, int reorder,
                              MPI_Comm* made),
                             (group, count, nodes, degrees, targets, weights, info, reorder, made))
LOADSHARE_MAKES_COMMUNICATOR(Dist_graph_create_adjacent,
                             (MPI_Comm group, int sources, const int* from, const int* from_weights,
                              int targets, const int* to, const int* to_weights, MPI_Info info, int reorder,
                              MPI_Comm* made),
                             (group, sources, from, from_weights, targets, to, to_weights, info, reorder,
                              made))
LOADSHARE_MAKES_COMMUNICATOR(Intercomm_merge, (MPI_Comm group, int high, MPI_Comm* made), (group, high, made))

LOADSHARE_INTERPOSE(Intercomm_create)
int PMPI_Intercomm_create(MPI_Comm group, int leader, MPI_Comm peers, int other_leader, int tag,
                          MPI_Comm* made) {
  return record_by_members(
      CallId::Intercomm_create, "MPI_Intercomm_create", LOADSHARE_PLACE, group, tag, made,
      [&] { return real_Intercomm_create(group, leader, peers, other_leader, tag, made); });
}

LOADSHARE_INTERPOSE(Comm_create_group)
int PMPI_Comm_create_group(MPI_Comm group, MPI_Group members, int tag, MPI_Comm* made) {
  return record_by_members(CallId::Comm_create_group, "MPI_Comm_create_group", LOADSHARE_PLACE, group, tag,
                           made, [&] { return real_Comm_create_group(group, members, tag, made); });
}

LOADSHARE_INTERPOSE(Comm_idup)
int PMPI_Comm_idup(MPI_Comm group, MPI_Comm* made, MPI_Request* request) {
  const void* place = LOADSHARE_PLACE;
  making_elsewhere();
  return record(
      CallId::Comm_idup, place, [] { return Message{}; },
      [&] { return real_Comm_idup(group, made, request); },
      [&](std::uint64_t begin_ticks, const Message&) {
        leave_idup({CallId::Comm_idup, begin_ticks, place}, the_recorder->groups.of(group), *made, *request);
      });
}

LOADSHARE_INTERPOSE(Comm_free)
int PMPI_Comm_free(MPI_Comm* group) {
  return record_freeing(CallId::Comm_free, LOADSHARE_PLACE, *group, [&] { return real_Comm_free(group); });
}

LOADSHARE_INTERPOSE(Comm_disconnect)
int PMPI_Comm_disconnect(MPI_Comm* group) {
  return record_freeing(CallId::Comm_disconnect, LOADSHARE_PLACE, *group,
                        [&] { return real_Comm_disconnect(group); });
}

LOADSHARE_INTERPOSE(Comm_set_name)
int PMPI_Comm_set_name(MPI_Comm group, const char* name) {
  const int result = real_Comm_set_name(group, name);
  if (where == Where::outside && result == MPI_SUCCESS)
    safely([&] { the_recorder->groups.rename(group, name); });
  return result;
}
