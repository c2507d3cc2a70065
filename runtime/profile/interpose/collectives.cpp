#include "runtime/profile/interpose/collective.hpp"

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
