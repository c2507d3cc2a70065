#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace loadshare::reconstruction {

/// A rank's share in a collective call, as a profile tells it.
struct CollectiveShare {
  double bytes = 0;  ///< put in and got out, together
  double ranks = 1;  ///< of the communicator
  bool is_root = false;
};

/// The name that timing graphs have for a collective call of MPI, blocking or not ("MPI_Iallreduce" and
/// "MPI_Allreduce" are "allreduce"); nothing where they have none.
std::optional<std::string> collective_name(std::string_view call);

/// The size that timing graphs want of the collective of that name, from what a profile tells of it.
double collective_bytes(std::string_view name, const CollectiveShare& share);

}  // namespace loadshare::reconstruction
