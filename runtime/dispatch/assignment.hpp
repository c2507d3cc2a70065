#pragma once

#include <cstdint>

#include "schedulers/types.hpp"

namespace loadshare {

/// Names one assignment of a chunk to a worker. Slots are small numbers and used again, so that tables can be
/// kept by slot; the generation tells a slot's present use from earlier ones. Every copy has an id of its
/// own.
struct ChunkId {
  std::uint32_t slot = UINT32_MAX;
  std::uint32_t generation = 0;
  friend constexpr bool operator==(const ChunkId&, const ChunkId&) = default;
};

/// A chunk given to a worker.
struct Assignment {
  ChunkId id;
  Chunk chunk;
  bool is_copy = false;  ///< given again at the tail: another worker has it too
  friend constexpr bool operator==(const Assignment&, const Assignment&) = default;
};

}  // namespace loadshare
