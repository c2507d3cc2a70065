#include <mpi.h>

#include "profiler/preload/messages.hpp"
#include "profiler/preload/open_requests.hpp"
#include "profiler/preload/record.hpp"

namespace loadshare::profile {
namespace {

/// What a rank puts into a collective and gets out of it, in bytes. Counts and types that mean nothing on
/// this rank (in place, the root's, those of one's own side) are not looked at: programs may leave anything
/// there.
class Shares final {
 public:
  explicit Shares(MPI_Comm communicator) : group_(the_recorder->groups.of(communicator)) {}

  Message all(std::uint64_t bytes) const { return {.bytes = bytes, .communicator = group_.id}; }
  Message rooted(int root, std::uint64_t bytes) const {
    return {.bytes = bytes, .peer = root_in_world(root), .communicator = group_.id};
  }
  /// What a rooted collective moves: `at_all` tells of those that the root serves, `at_root` of the root.
  template <typename AtAll, typename AtRoot>
  Message rooted(int root, AtAll at_all, AtRoot at_root) const {
    return rooted(root, (is_served(root) ? at_all() : 0) + (is_root(root) ? at_root() : 0));
  }

  static std::uint64_t put(const void* data, int count, MPI_Datatype type) {
    return data == MPI_IN_PLACE ? 0 : bytes_of(count, type);
  }
  /// As much for or from each.
  std::uint64_t each(const void* data, int count, MPI_Datatype type) const {
    return put(data, count, type) * static_cast<std::uint64_t>(group_.size);
  }
  /// A count for or from each.
  std::uint64_t sum(const void* data, const int* counts, MPI_Datatype type) const;
  std::uint64_t sum(const void* data, const int* counts, const MPI_Datatype* types) const;
  /// A count for each of one's own side; not told between two.
  std::uint64_t total(const int* counts, MPI_Datatype type) const {
    return group_.is_inter ? 0 : sum(nullptr, counts, type);
  }
  /// Of a count for each, this rank's.
  std::uint64_t own(const int* counts, MPI_Datatype type) const {
    return bytes_of(group_.is_inter ? 0 : counts[group_.own_rank], type);
  }

  bool is_root(int root) const { return group_.is_inter ? root == MPI_ROOT : root == group_.own_rank; }
  /// Whether this rank is one of those that the root gives to, or takes from.
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

/// Between two sides the root calls itself MPI_ROOT, and its neighbours stand by with MPI_PROC_NULL.
std::int32_t Shares::root_in_world(int root) const {
  if (root == MPI_ROOT) return the_recorder->section.slot().rank;
  return Groups::world_rank(group_, root);
}

}  // namespace
}  // namespace loadshare::profile

/// A collective and its non-blocking form, which takes a request more. The last argument is the Message of a
/// rank, by `shares`.
#define LOADSHARE_COLLECTIVE(name, start, parameters, arguments, ...)                                    \
  LOADSHARE_INTERPOSE(name)                                                                              \
  int PMPI_##name(LOADSHARE_LIST parameters) {                                                           \
    const auto describe = [&] {                                                                          \
      const Shares shares(group);                                                                        \
      return __VA_ARGS__;                                                                                \
    };                                                                                                   \
    return record(CallId::name, LOADSHARE_PLACE, describe, [&] { return real_##name arguments; });       \
  }                                                                                                      \
  LOADSHARE_INTERPOSE(start)                                                                             \
  int PMPI_##start(LOADSHARE_LIST parameters, MPI_Request* request) {                                    \
    const auto describe = [&] {                                                                          \
      const Shares shares(group);                                                                        \
      return __VA_ARGS__;                                                                                \
    };                                                                                                   \
    const void* place = LOADSHARE_PLACE;                                                                 \
    return record(                                                                                       \
        CallId::start, place, describe, [&] { return real_##start(LOADSHARE_LIST arguments, request); }, \
        [&](std::uint64_t begin_ticks, const Message& message) {                                         \
          leave_collective_start({CallId::start, begin_ticks, place}, message, *request);                \
        });                                                                                              \
  }

using namespace loadshare::profile;

LOADSHARE_COLLECTIVE(Barrier, Ibarrier, (MPI_Comm group), (group), shares.all(0))

LOADSHARE_COLLECTIVE(Bcast, Ibcast, (void* data, int count, MPI_Datatype type, int root, MPI_Comm group),
                     (data, count, type, root, group),
                     shares.rooted(root, shares.is_served(root) || shares.is_root(root)
                                             ? bytes_of(count, type)
                                             : 0))

LOADSHARE_COLLECTIVE(Gather, Igather,
                     (const void* out, int out_count, MPI_Datatype out_type, void* in, int in_count,
                      MPI_Datatype in_type, int root, MPI_Comm group),
                     (out, out_count, out_type, in, in_count, in_type, root, group),
                     shares.rooted(
                         root, [&] { return Shares::put(out, out_count, out_type); },
                         [&] { return shares.each(in, in_count, in_type); }))

LOADSHARE_COLLECTIVE(Gatherv, Igatherv,
                     (const void* out, int out_count, MPI_Datatype out_type, void* in, const int* in_counts,
                      const int* places, MPI_Datatype in_type, int root, MPI_Comm group),
                     (out, out_count, out_type, in, in_counts, places, in_type, root, group),
                     shares.rooted(
                         root, [&] { return Shares::put(out, out_count, out_type); },
                         [&] { return shares.sum(in, in_counts, in_type); }))

LOADSHARE_COLLECTIVE(Scatter, Iscatter,
                     (const void* out, int out_count, MPI_Datatype out_type, void* in, int in_count,
                      MPI_Datatype in_type, int root, MPI_Comm group),
                     (out, out_count, out_type, in, in_count, in_type, root, group),
                     shares.rooted(
                         root, [&] { return Shares::put(in, in_count, in_type); },
                         [&] { return shares.each(out, out_count, out_type); }))

LOADSHARE_COLLECTIVE(Scatterv, Iscatterv,
                     (const void* out, const int* out_counts, const int* places, MPI_Datatype out_type,
                      void* in, int in_count, MPI_Datatype in_type, int root, MPI_Comm group),
                     (out, out_counts, places, out_type, in, in_count, in_type, root, group),
                     shares.rooted(
                         root, [&] { return Shares::put(in, in_count, in_type); },
                         [&] { return shares.sum(out, out_counts, out_type); }))

LOADSHARE_COLLECTIVE(Allgather, Iallgather,
                     (const void* out, int out_count, MPI_Datatype out_type, void* in, int in_count,
                      MPI_Datatype in_type, MPI_Comm group),
                     (out, out_count, out_type, in, in_count, in_type, group),
                     shares.all(Shares::put(out, out_count, out_type) + shares.each(in, in_count, in_type)))

LOADSHARE_COLLECTIVE(Allgatherv, Iallgatherv,
                     (const void* out, int out_count, MPI_Datatype out_type, void* in, const int* in_counts,
                      const int* places, MPI_Datatype in_type, MPI_Comm group),
                     (out, out_count, out_type, in, in_counts, places, in_type, group),
                     shares.all(Shares::put(out, out_count, out_type) + shares.sum(in, in_counts, in_type)))

LOADSHARE_COLLECTIVE(Alltoall, Ialltoall,
                     (const void* out, int out_count, MPI_Datatype out_type, void* in, int in_count,
                      MPI_Datatype in_type, MPI_Comm group),
                     (out, out_count, out_type, in, in_count, in_type, group),
                     shares.all(shares.each(out, out_count, out_type) + shares.each(in, in_count, in_type)))

LOADSHARE_COLLECTIVE(Alltoallv, Ialltoallv,
                     (const void* out, const int* out_counts, const int* out_places, MPI_Datatype out_type,
                      void* in, const int* in_counts, const int* in_places, MPI_Datatype in_type,
                      MPI_Comm group),
                     (out, out_counts, out_places, out_type, in, in_counts, in_places, in_type, group),
                     shares.all(shares.sum(out, out_counts, out_type) + shares.sum(in, in_counts, in_type)))

LOADSHARE_COLLECTIVE(Alltoallw, Ialltoallw,
                     (const void* out, const int* out_counts, const int* out_places,
                      const MPI_Datatype* out_types, void* in, const int* in_counts, const int* in_places,
                      const MPI_Datatype* in_types, MPI_Comm group),
                     (out, out_counts, out_places, out_types, in, in_counts, in_places, in_types, group),
                     shares.all(shares.sum(out, out_counts, out_types) + shares.sum(in, in_counts, in_types)))

// Collectives over a topology's neighbours. Bytes are those of one neighbour where each gets as much, and not
// told where they differ: how many neighbours there are is the topology's to know.

LOADSHARE_COLLECTIVE(Neighbor_allgather, Ineighbor_allgather,
                     (const void* out, int out_count, MPI_Datatype out_type, void* in, int in_count,
                      MPI_Datatype in_type, MPI_Comm group),
                     (out, out_count, out_type, in, in_count, in_type, group),
                     shares.all(Shares::put(out, out_count, out_type)))

LOADSHARE_COLLECTIVE(Neighbor_allgatherv, Ineighbor_allgatherv,
                     (const void* out, int out_count, MPI_Datatype out_type, void* in, const int* in_counts,
                      const int* places, MPI_Datatype in_type, MPI_Comm group),
                     (out, out_count, out_type, in, in_counts, places, in_type, group),
                     shares.all(Shares::put(out, out_count, out_type)))

LOADSHARE_COLLECTIVE(Neighbor_alltoall, Ineighbor_alltoall,
                     (const void* out, int out_count, MPI_Datatype out_type, void* in, int in_count,
                      MPI_Datatype in_type, MPI_Comm group),
                     (out, out_count, out_type, in, in_count, in_type, group),
                     shares.all(Shares::put(out, out_count, out_type)))

LOADSHARE_COLLECTIVE(Neighbor_alltoallv, Ineighbor_alltoallv,
                     (const void* out, const int* out_counts, const int* out_places, MPI_Datatype out_type,
                      void* in, const int* in_counts, const int* in_places, MPI_Datatype in_type,
                      MPI_Comm group),
                     (out, out_counts, out_places, out_type, in, in_counts, in_places, in_type, group),
                     shares.all(0))

LOADSHARE_COLLECTIVE(Neighbor_alltoallw, Ineighbor_alltoallw,
                     (const void* out, const int* out_counts, const MPI_Aint* out_places,
                      const MPI_Datatype* out_types, void* in, const int* in_counts,
                      const MPI_Aint* in_places, const MPI_Datatype* in_types, MPI_Comm group),
                     (out, out_counts, out_places, out_types, in, in_counts, in_places, in_types, group),
                     shares.all(0))

LOADSHARE_COLLECTIVE(Reduce, Ireduce,
                     (const void* out, void* in, int count, MPI_Datatype type, MPI_Op operation, int root,
                      MPI_Comm group),
                     (out, in, count, type, operation, root, group),
                     shares.rooted(
                         root, [&] { return bytes_of(count, type); }, [&] { return bytes_of(count, type); }))

LOADSHARE_COLLECTIVE(Allreduce, Iallreduce,
                     (const void* out, void* in, int count, MPI_Datatype type, MPI_Op operation,
                      MPI_Comm group),
                     (out, in, count, type, operation, group), shares.all(2 * bytes_of(count, type)))

LOADSHARE_COLLECTIVE(Reduce_scatter, Ireduce_scatter,
                     (const void* out, void* in, const int* counts, MPI_Datatype type, MPI_Op operation,
                      MPI_Comm group),
                     (out, in, counts, type, operation, group),
                     shares.all(shares.total(counts, type) + shares.own(counts, type)))

LOADSHARE_COLLECTIVE(Reduce_scatter_block, Ireduce_scatter_block,
                     (const void* out, void* in, int count, MPI_Datatype type, MPI_Op operation,
                      MPI_Comm group),
                     (out, in, count, type, operation, group),
                     shares.all(shares.each(nullptr, count, type) + bytes_of(count, type)))

LOADSHARE_COLLECTIVE(Scan, Iscan,
                     (const void* out, void* in, int count, MPI_Datatype type, MPI_Op operation,
                      MPI_Comm group),
                     (out, in, count, type, operation, group), shares.all(2 * bytes_of(count, type)))

LOADSHARE_COLLECTIVE(Exscan, Iexscan,
                     (const void* out, void* in, int count, MPI_Datatype type, MPI_Op operation,
                      MPI_Comm group),
                     (out, in, count, type, operation, group), shares.all(2 * bytes_of(count, type)))
