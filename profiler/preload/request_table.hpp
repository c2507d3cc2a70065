#pragma once

#include <cstdint>
#include <vector>

#include "profiler/calls.hpp"

namespace loadshare::profile {

struct Group;

/// A message that a rank sends or receives, or its part in a collective. `peer` is a rank of MPI_COMM_WORLD.
struct Message {
  std::uint64_t bytes = 0;
  std::int32_t peer = -1;
  std::int32_t tag = -1;
  std::uint64_t communicator = 0;  ///< its id
  bool is_in_place = false;        ///< a collective in which a buffer of this rank was MPI_IN_PLACE
};

enum class RequestKind : std::uint8_t { receive, other };

/// A request that has not completed, or a matched message that was not received yet.
struct OpenRequest {
  const void* handle = nullptr;
  std::uint32_t number = 0;  ///< 0: persistent and not started
  std::uint32_t next = 0;    ///< next in the list of its handle
  RequestKind kind = RequestKind::other;
  bool is_persistent = false;
  CallId call = CallId::count;  ///< the call that created it
  Message message;
  Group* group = nullptr;      ///< of a receive: translates the rank in its status
  void* made = nullptr;        ///< of MPI_Comm_idup: the new handle, not usable yet
  std::uint64_t promised = 0;  ///< of MPI_Comm_idup: the id of the new communicator
};

/// The active requests by handle. MPI may give several finished requests the same handle (Open MPI does so
/// for sends that complete immediately), so each handle has a list. Memory is proportional to the largest
/// number of requests that were active at the same time.
class RequestTable final {
 public:
  RequestTable();
  OpenRequest& add(const void* handle);
  /// Returns a request with this handle, or null.
  OpenRequest* find(const void* handle);
  /// Removes the request that find() returns for this handle.
  void remove(const void* handle);

 private:
  struct Bucket {
    const void* handle = nullptr;
    std::uint32_t first = 0;  ///< index into requests_; 0: none
  };

  std::size_t home(const void* handle) const;
  std::size_t place_of(const void* handle) const;
  void grow();
  void close_gap(std::size_t hole);

  std::vector<Bucket> buckets_;  ///< open addressing; the size is a power of 2, at most half is used
  std::vector<OpenRequest> requests_;
  std::uint32_t free_ = 0;
  std::size_t used_ = 0;
};

}  // namespace loadshare::profile
