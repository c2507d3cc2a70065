#pragma once

#include <optional>
#include <string>

#include "models/communication/curve.hpp"

namespace loadshare::communication {

/// What whole collective calls cost, where that was measured: a network that several messages share at once
/// serves them in ways that no pair's times tell.
class CollectiveCosts {
 public:
  virtual ~CollectiveCosts() = default;

  /// From when the last of so many members begins a call (MPI's name in small letters, without MPI_) until
  /// all have ended it, in seconds; nothing where it is not known. `bytes` of allreduce are the vector's, of
  /// allgather each member's block's, of alltoall and alltoallv those of what each member sends to each other
  /// one.
  virtual std::optional<Estimate> time(const std::string& call, int members, double bytes) const = 0;
};

}  // namespace loadshare::communication
