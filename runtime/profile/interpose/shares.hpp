#pragma once

#include <mpi.h>

#include "runtime/profile/interpose/messages.hpp"

namespace loadshare::profile {

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

}  // namespace loadshare::profile
