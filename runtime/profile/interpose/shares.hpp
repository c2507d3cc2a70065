#pragma once

#include <mpi.h>

#include "runtime/profile/interpose/messages.hpp"

namespace loadshare::profile {

/// What a rank puts into a collective and gets out of it, in bytes. Counts and types that mean nothing on
/// this rank (in place, or the root's) are not looked at: programs may leave anything there.
class Shares final {
 public:
  explicit Shares(MPI_Comm communicator) : group_(the_recorder->groups.of(communicator)) {}

  Message all(std::uint64_t bytes) const { return {.bytes = bytes, .communicator = group_.id}; }
  Message rooted(int root, std::uint64_t bytes) const {
    return {.bytes = bytes, .peer = root_in_world(root), .communicator = group_.id};
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
  std::uint64_t total(const int* counts, MPI_Datatype type) const { return sum(nullptr, counts, type); }
  /// Of a count for each, this rank's.
  std::uint64_t own(const int* counts, MPI_Datatype type) const {
    return bytes_of(group_.is_inter ? 0 : counts[group_.own_rank], type);
  }

  bool is_root(int root) const { return group_.is_inter ? root == MPI_ROOT : root == group_.own_rank; }

 private:
  std::int32_t root_in_world(int root) const;

  const Group& group_;
};

}  // namespace loadshare::profile
