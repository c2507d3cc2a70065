#include <mpi.h>

#include "profiler/preload/messages.hpp"
#include "profiler/preload/record.hpp"

namespace loadshare::profile {
namespace {

/// The bytes that a rank contributes to a collective and receives from it. Counts and types that have no
/// meaning on this rank (in place, the root's, the own group's) are never read, because programs may leave
/// them undefined.
class Shares final {
 public:
  explicit Shares(MPI_Comm communicator) : group_(the_recorder->groups.of(communicator)) {}

  Message all(std::uint64_t bytes) const { return {.bytes = bytes, .communicator = group_.id}; }
  Message rooted(int root, std::uint64_t bytes) const {
    return {.bytes = bytes, .peer = root_in_world(root), .communicator = group_.id};
  }
  /// Describes a rooted collective: `at_all` returns the bytes of a rank that the root serves, `at_root`
  /// those of the root.
  template <typename AtAll, typename AtRoot>
  Message rooted(int root, AtAll at_all, AtRoot at_root) const {
    return rooted(root, (is_served(root) ? at_all() : 0) + (is_root(root) ? at_root() : 0));
  }

  static std::uint64_t put(const void* data, int count, MPI_Datatype type) {
    return data == MPI_IN_PLACE ? 0 : bytes_of(count, type);
  }
  /// Returns the bytes for all ranks if each has the same count.
  std::uint64_t each(const void* data, int count, MPI_Datatype type) const {
    return put(data, count, type) * static_cast<std::uint64_t>(group_.size);
  }
  /// Returns the bytes for all ranks if each has a count of its own.
  std::uint64_t sum(const void* data, const int* counts, MPI_Datatype type) const;
  std::uint64_t sum(const void* data, const int* counts, const MPI_Datatype* types) const;
  /// Returns the bytes for all ranks of the own group; 0 for intercommunicators, where they are not recorded.
  std::uint64_t total(const int* counts, MPI_Datatype type) const {
    return group_.is_inter ? 0 : sum(nullptr, counts, type);
  }
  /// Returns the bytes of this rank, from a list with a count for each.
  std::uint64_t own(const int* counts, MPI_Datatype type) const {
    return bytes_of(group_.is_inter ? 0 : counts[group_.own_rank], type);
  }

  bool is_root(int root) const { return group_.is_inter ? root == MPI_ROOT : root == group_.own_rank; }
  /// Returns whether the root sends to this rank or receives from it.
  bool is_served(int root) const { return !group_.is_inter || root >= 0; }

 private:
  std::int32_t root_in_world(int root) const;

  const Group& group_;
};

std::uint64_t Shares::sum(const void* data, const int* counts, MPI_Datatype type) const {
  if (data == MPI_IN_PLACE) return 0;
  std::uint64_t elements = 0;
  for (int i = 0; i < group_.size; ++i) elements += static_cast<std::uint64_t>(counts[i] < 0 ? 0 : counts[i]);
  return elements * bytes_of(1, type);
}

std::uint64_t Shares::sum(const void* data, const int* counts, const MPI_Datatype* types) const {
  if (data == MPI_IN_PLACE) return 0;
  std::uint64_t bytes = 0;
  for (int i = 0; i < group_.size; ++i) bytes += bytes_of(counts[i], types[i]);
  return bytes;
}

/// Returns the root's rank in MPI_COMM_WORLD. In an intercommunicator the root passes MPI_ROOT, and the other
/// ranks of its group pass MPI_PROC_NULL.
std::int32_t Shares::root_in_world(int root) const {
  if (root == MPI_ROOT) return the_recorder->section.slot().rank;
  return Groups::world_rank(group_, root);
}

template <typename... Arguments>
void leave_collective(const Call& made, const Message& message, Arguments... arguments) {
  if constexpr ((std::is_same_v<Arguments, MPI_Request*> || ...))
    leave_collective_start(made, message, *pick<MPI_Request*>(arguments...));
  else
    the_recorder->leave(made, message);
}

/// Returns whether a buffer argument is MPI_IN_PLACE.
template <typename Argument>
bool is_in_place(Argument argument) {
  if constexpr (std::is_same_v<Argument, void*> || std::is_same_v<Argument, const void*>)
    return argument == MPI_IN_PLACE;
  return false;
}

/// Returns the Message of this rank in a collective, by its shares and the call's arguments.
template <auto describe, typename... Arguments>
Message described(Arguments... arguments) {
  Message message = describe(Shares(pick<MPI_Comm>(arguments...)), arguments...);
  message.is_in_place = (is_in_place(arguments) || ...);
  return message;
}

/// Records a collective, or its non-blocking form, whose last argument is a request.
template <auto describe, typename Real, typename... Arguments>
int collective(const Call& call, Real real, Arguments... arguments) {
  return record(
      call, [&] { return described<describe>(arguments...); }, [&] { return real(arguments...); },
      [&](const Call& made, const Message& message) { leave_collective(made, message, arguments...); });
}

/// Records a collective over a topology's neighbours. Its parts name the ranks that it receives from.
template <auto describe, typename Real, typename... Arguments>
int among_neighbors(const Call& call, Real real, Arguments... arguments) {
  return record(
      call, [&] { return described<describe>(arguments...); }, [&] { return real(arguments...); },
      [&](const Call& made, const Message& message) {
        leave_collective(made, message, arguments...);
        for (const std::int32_t source : the_recorder->groups.sources_of(pick<MPI_Comm>(arguments...)))
          the_recorder->part(Part::member, {.peer = source, .communicator = message.communicator}, 0);
      });
}

// Descriptions of collectives. Arguments without influence have no names.

constexpr auto no_bytes = [](const Shares& shares, auto...) { return shares.all(0); };

constexpr auto one_to_all = [](const Shares& shares, void*, int count, MPI_Datatype type, int root, auto...) {
  const bool takes_part = shares.is_served(root) || shares.is_root(root);
  return shares.rooted(root, takes_part ? bytes_of(count, type) : 0);
};

constexpr auto all_to_one = [](const Shares& shares, const void* out, int out_count, MPI_Datatype out_type,
                               void* in, int in_count, MPI_Datatype in_type, int root, auto...) {
  return shares.rooted(
      root, [&] { return Shares::put(out, out_count, out_type); },
      [&] { return shares.each(in, in_count, in_type); });
};

constexpr auto all_to_one_v = [](const Shares& shares, const void* out, int out_count, MPI_Datatype out_type,
                                 void* in, const int* in_counts, const int*, MPI_Datatype in_type, int root,
                                 auto...) {
  return shares.rooted(
      root, [&] { return Shares::put(out, out_count, out_type); },
      [&] { return shares.sum(in, in_counts, in_type); });
};

constexpr auto scatter = [](const Shares& shares, const void* out, int out_count, MPI_Datatype out_type,
                            void* in, int in_count, MPI_Datatype in_type, int root, auto...) {
  return shares.rooted(
      root, [&] { return Shares::put(in, in_count, in_type); },
      [&] { return shares.each(out, out_count, out_type); });
};

constexpr auto scatter_v = [](const Shares& shares, const void* out, const int* out_counts, const int*,
                              MPI_Datatype out_type, void* in, int in_count, MPI_Datatype in_type, int root,
                              auto...) {
  return shares.rooted(
      root, [&] { return Shares::put(in, in_count, in_type); },
      [&] { return shares.sum(out, out_counts, out_type); });
};

constexpr auto all_gather = [](const Shares& shares, const void* out, int out_count, MPI_Datatype out_type,
                               void* in, int in_count, MPI_Datatype in_type, auto...) {
  return shares.all(Shares::put(out, out_count, out_type) + shares.each(in, in_count, in_type));
};

constexpr auto all_gather_v = [](const Shares& shares, const void* out, int out_count, MPI_Datatype out_type,
                                 void* in, const int* in_counts, const int*, MPI_Datatype in_type, auto...) {
  return shares.all(Shares::put(out, out_count, out_type) + shares.sum(in, in_counts, in_type));
};

constexpr auto all_to_all = [](const Shares& shares, const void* out, int out_count, MPI_Datatype out_type,
                               void* in, int in_count, MPI_Datatype in_type, auto...) {
  return shares.all(shares.each(out, out_count, out_type) + shares.each(in, in_count, in_type));
};

/// `out_types` and `in_types` are one type for all ranks, or a list with a type for each.
constexpr auto all_to_all_v = [](const Shares& shares, const void* out, const int* out_counts, const int*,
                                 auto out_types, void* in, const int* in_counts, const int*, auto in_types,
                                 auto...) {
  return shares.all(shares.sum(out, out_counts, out_types) + shares.sum(in, in_counts, in_types));
};

/// A collective over a topology's neighbours. The bytes are those of one neighbour if all have the same;
/// otherwise they are not recorded (`no_bytes`). The topology defines the number of neighbours.
constexpr auto to_a_neighbor = [](const Shares& shares, const void* out, int count, MPI_Datatype type,
                                  auto...) { return shares.all(Shares::put(out, count, type)); };

constexpr auto reduction_to_one = [](const Shares& shares, const void*, void*, int count, MPI_Datatype type,
                                     MPI_Op, int root, auto...) {
  const auto bytes = [&] { return bytes_of(count, type); };
  return shares.rooted(root, bytes, bytes);
};

constexpr auto reduction = [](const Shares& shares, const void*, void*, int count, MPI_Datatype type,
                              auto...) { return shares.all(2 * bytes_of(count, type)); };

constexpr auto scattered_reduction = [](const Shares& shares, const void*, void*, const int* counts,
                                        MPI_Datatype type, auto...) {
  return shares.all(shares.total(counts, type) + shares.own(counts, type));
};

constexpr auto scattered_blocks = [](const Shares& shares, const void*, void*, int count, MPI_Datatype type,
                                     auto...) {
  return shares.all(shares.each(nullptr, count, type) + bytes_of(count, type));
};

}  // namespace
}  // namespace loadshare::profile

using namespace loadshare::profile;

LOADSHARE_RECORD(Barrier, barrier, 1, collective<no_bytes>)
LOADSHARE_RECORD(Ibarrier, ibarrier, 2, collective<no_bytes>)
LOADSHARE_RECORD(Bcast, bcast, 5, collective<one_to_all>)
LOADSHARE_RECORD(Ibcast, ibcast, 6, collective<one_to_all>)
LOADSHARE_RECORD(Gather, gather, 8, collective<all_to_one>)
LOADSHARE_RECORD(Igather, igather, 9, collective<all_to_one>)
LOADSHARE_RECORD(Gatherv, gatherv, 9, collective<all_to_one_v>)
LOADSHARE_RECORD(Igatherv, igatherv, 10, collective<all_to_one_v>)
LOADSHARE_RECORD(Scatter, scatter, 8, collective<scatter>)
LOADSHARE_RECORD(Iscatter, iscatter, 9, collective<scatter>)
LOADSHARE_RECORD(Scatterv, scatterv, 9, collective<scatter_v>)
LOADSHARE_RECORD(Iscatterv, iscatterv, 10, collective<scatter_v>)
LOADSHARE_RECORD(Allgather, allgather, 7, collective<all_gather>)
LOADSHARE_RECORD(Iallgather, iallgather, 8, collective<all_gather>)
LOADSHARE_RECORD(Allgatherv, allgatherv, 8, collective<all_gather_v>)
LOADSHARE_RECORD(Iallgatherv, iallgatherv, 9, collective<all_gather_v>)
LOADSHARE_RECORD(Alltoall, alltoall, 7, collective<all_to_all>)
LOADSHARE_RECORD(Ialltoall, ialltoall, 8, collective<all_to_all>)
LOADSHARE_RECORD(Alltoallv, alltoallv, 9, collective<all_to_all_v>)
LOADSHARE_RECORD(Ialltoallv, ialltoallv, 10, collective<all_to_all_v>)
LOADSHARE_RECORD(Alltoallw, alltoallw, 9, collective<all_to_all_v>)
LOADSHARE_RECORD(Ialltoallw, ialltoallw, 10, collective<all_to_all_v>)
LOADSHARE_RECORD(Neighbor_allgather, neighbor_allgather, 7, among_neighbors<to_a_neighbor>)
LOADSHARE_RECORD(Ineighbor_allgather, ineighbor_allgather, 8, among_neighbors<to_a_neighbor>)
LOADSHARE_RECORD(Neighbor_allgatherv, neighbor_allgatherv, 8, among_neighbors<to_a_neighbor>)
LOADSHARE_RECORD(Ineighbor_allgatherv, ineighbor_allgatherv, 9, among_neighbors<to_a_neighbor>)
LOADSHARE_RECORD(Neighbor_alltoall, neighbor_alltoall, 7, among_neighbors<to_a_neighbor>)
LOADSHARE_RECORD(Ineighbor_alltoall, ineighbor_alltoall, 8, among_neighbors<to_a_neighbor>)
LOADSHARE_RECORD(Neighbor_alltoallv, neighbor_alltoallv, 9, among_neighbors<no_bytes>)
LOADSHARE_RECORD(Ineighbor_alltoallv, ineighbor_alltoallv, 10, among_neighbors<no_bytes>)
LOADSHARE_RECORD(Neighbor_alltoallw, neighbor_alltoallw, 9, among_neighbors<no_bytes>)
LOADSHARE_RECORD(Ineighbor_alltoallw, ineighbor_alltoallw, 10, among_neighbors<no_bytes>)
LOADSHARE_RECORD(Reduce, reduce, 7, collective<reduction_to_one>)
LOADSHARE_RECORD(Ireduce, ireduce, 8, collective<reduction_to_one>)
LOADSHARE_RECORD(Allreduce, allreduce, 6, collective<reduction>)
LOADSHARE_RECORD(Iallreduce, iallreduce, 7, collective<reduction>)
LOADSHARE_RECORD(Reduce_scatter, reduce_scatter, 6, collective<scattered_reduction>)
LOADSHARE_RECORD(Ireduce_scatter, ireduce_scatter, 7, collective<scattered_reduction>)
LOADSHARE_RECORD(Reduce_scatter_block, reduce_scatter_block, 6, collective<scattered_blocks>)
LOADSHARE_RECORD(Ireduce_scatter_block, ireduce_scatter_block, 7, collective<scattered_blocks>)
LOADSHARE_RECORD(Scan, scan, 6, collective<reduction>)
LOADSHARE_RECORD(Iscan, iscan, 7, collective<reduction>)
LOADSHARE_RECORD(Exscan, exscan, 6, collective<reduction>)
LOADSHARE_RECORD(Iexscan, iexscan, 7, collective<reduction>)
