#include "runtime/profile/interpose/shares.hpp"

namespace loadshare::profile {

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

}  // namespace loadshare::profile
