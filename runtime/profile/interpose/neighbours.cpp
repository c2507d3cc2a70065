#include "runtime/profile/interpose/collective.hpp"

using namespace loadshare::profile;

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
