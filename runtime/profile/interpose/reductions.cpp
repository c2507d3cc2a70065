#include "runtime/profile/interpose/collective.hpp"

using namespace loadshare::profile;

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
