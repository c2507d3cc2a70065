#include "profiler/preload/messages.hpp"
#include "profiler/preload/record.hpp"

using namespace loadshare::profile;

namespace {

/// Records a call that creates a communicator. `add` adds the new one, and returns the id of the communicator
/// on which the call is recorded.
template <typename Make, typename Add>
int record_making(const Call& call, MPI_Comm from, Make make, Add add) {
  note_unrecorded_creation();
  return record(
      call, [&] { return Message{.communicator = the_recorder->groups.of(from).id}; }, make,
      [&](const Call& made, const Message& message) {
        Message on_group = message;
        on_group.communicator = add(the_recorder->groups);
        the_recorder->leave(made, on_group);
      });
}

/// Records a creation that is collective over `from`, on `from`: all its ranks count it.
template <typename Real, typename... Arguments>
int make_from(const Call& call, Real real, MPI_Comm from, Arguments... arguments) {
  return record_making(
      call, from, [&] { return real(from, arguments...); },
      [&](Groups& groups) {
        Group& parent = groups.of(from);
        groups.add_made_from(parent, *pick<MPI_Comm*>(arguments...), call.name);
        return parent.id;
      });
}

/// Records a creation in which only the new communicator's members take part, on the new communicator.
template <typename Make>
int record_making_by_members(const Call& call, MPI_Comm from, int tag, const MPI_Comm* made, Make make) {
  return record_making(call, from, make, [&](Groups& groups) {
    return *made == MPI_COMM_NULL ? unknown_communicator
                                  : groups.add_made_by_members(*made, tag, call.name).id;
  });
}

template <typename Real>
int create_between(const Call& call, Real real, MPI_Comm from, int leader, MPI_Comm peers, int other_leader,
                   int tag, MPI_Comm* made) {
  return record_making_by_members(call, from, tag, made,
                                  [&] { return real(from, leader, peers, other_leader, tag, made); });
}

template <typename Real>
int create_group(const Call& call, Real real, MPI_Comm from, MPI_Group members, int tag, MPI_Comm* made) {
  return record_making_by_members(call, from, tag, made, [&] { return real(from, members, tag, made); });
}

template <typename Real>
int duplicate_later(const Call& call, Real real, MPI_Comm from, MPI_Comm* made, MPI_Request* request) {
  note_unrecorded_creation();
  return record(
      call, nothing, [&] { return real(from, made, request); },
      [&](const Call& done, const Message&) {
        leave_idup(done, the_recorder->groups.of(from), *made, *request);
      });
}

/// Forgets the communicator before the call: once MPI has freed the handle, another communicator may get it.
template <typename Real>
int free_communicator(const Call& call, Real real, MPI_Comm* communicator) {
  const auto describe = [&] {
    Groups& groups = the_recorder->groups;
    const Message message{.communicator = groups.of(*communicator).id};
    if (*communicator != MPI_COMM_WORLD) groups.forget(*communicator);
    return message;
  };
  return record(call, describe, [&] { return real(communicator); });
}

}  // namespace

LOADSHARE_RECORD(Comm_dup, comm_dup, 2, make_from)
LOADSHARE_RECORD(Comm_dup_with_info, comm_dup_with_info, 3, make_from)
LOADSHARE_RECORD(Comm_split, comm_split, 4, make_from)
LOADSHARE_RECORD(Comm_split_type, comm_split_type, 5, make_from)
LOADSHARE_RECORD(Comm_create, comm_create, 3, make_from)
LOADSHARE_RECORD(Cart_create, cart_create, 6, make_from)
LOADSHARE_RECORD(Cart_sub, cart_sub, 3, make_from)
LOADSHARE_RECORD(Graph_create, graph_create, 6, make_from)
LOADSHARE_RECORD(Dist_graph_create, dist_graph_create, 9, make_from)
LOADSHARE_RECORD(Dist_graph_create_adjacent, dist_graph_create_adjacent, 10, make_from)
LOADSHARE_RECORD(Intercomm_merge, intercomm_merge, 3, make_from)
LOADSHARE_RECORD(Intercomm_create, intercomm_create, 6, create_between)
LOADSHARE_RECORD(Comm_create_group, comm_create_group, 4, create_group)
LOADSHARE_RECORD(Comm_idup, comm_idup, 3, duplicate_later)
LOADSHARE_RECORD(Comm_free, comm_free, 1, free_communicator)
LOADSHARE_RECORD(Comm_disconnect, comm_disconnect, 1, free_communicator)

LOADSHARE_INTERPOSE(Comm_set_name)
int PMPI_Comm_set_name(MPI_Comm group, const char* name) {
  const int result = real_Comm_set_name(group, name);
  if (thread_state == ThreadState::outside && result == MPI_SUCCESS)
    safely([&] { the_recorder->groups.rename(group, name); });
  return result;
}
