#pragma once

#include <cstdint>
#include <vector>

#include "profiler/calls.hpp"

namespace loadshare::profile {

struct Group;

/// What a rank sends or receives in one message, or puts into a collective. `peer` is a rank of
/// MPI_COMM_WORLD.
struct Message {
  std::uint64_t bytes = 0;
  std::int32_t peer = -1;
  std::int32_t tag = -1;
  std::uint64_t communicator = 0;  ///< its id
  bool is_in_place = false;        ///< of a collective: one of this rank's buffers was MPI_IN_PLACE
};

enum class RequestKind : std::uint8_t { receive, other };

struct OpenRequest {
  const void* handle = nullptr;
  std::uint32_t number = 0;  ///< 0: persistent, and not started
  std::uint32_t next = 0;    ///< in its list
  RequestKind kind = RequestKind::other;
  bool is_persistent = false;
  CallId call = CallId::count;  ///< that made it
  Message message;
  Group* group = nullptr;      ///< of a receive: for the rank in its status
  void* made = nullptr;        ///< of MPI_Comm_idup: the new handle, not to be looked at yet
  std::uint64_t promised = 0;  ///< and the id it will have
};

/// The requests under way, found by their handle. MPI may give several finished ones the same handle (Open
/// MPI does for sends that are over at once), so a handle has a list. Memory grows with the most requests
/// under way at a time.
class RequestTable final {
 public:
  RequestTable();
  OpenRequest& add(const void* handle);
  /// One with this handle, or null.
  OpenRequest* find(const void* handle);
  /// Forgets one with this handle: that which find() gives.
  void remove(const void* handle);

 private:
  struct Bucket {
    const void* handle = nullptr;
    std::uint32_t first = 0;  ///< into requests_; 0: none
  };

  std::size_t home(const void* handle) const;
  std::size_t place_of(const void* handle) const;
  void grow();
  void close_gap(std::size_t hole);

  std::vector<Bucket> buckets_;  ///< open addressing; a power of 2, at most half full
  std::vector<OpenRequest> requests_;
  std::uint32_t free_ = 0;
  std::size_t used_ = 0;
};

}  // namespace loadshare::profile
