#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/types.hpp"

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

/// Who holds which chunk: one compact record (a slot) for each assignment that has not come back.
///
/// Slots are linked by number in three ways: all that one worker holds (oldest first), all copies of one
/// chunk (a ring), and all unfinished chunks with the same number of copies (oldest first). Freed slots are
/// used again, so the memory follows what is outstanding, not the length of the loop; nothing is searched or
/// hashed.
class OutstandingChunks {
 public:
  static constexpr std::uint32_t none = UINT32_MAX;
  /// A chunk is given away once, and at the tail at most this many times more.
  static constexpr std::uint32_t max_copies = 2;

  /// What one worker holds.
  struct OfWorker {
    std::uint32_t oldest = none;
    std::uint32_t newest = none;
    std::uint32_t count = 0;
  };

  /// Records a chunk of its own for `worker`.
  ChunkId add(OfWorker& holder, WorkerId worker, Chunk chunk, double now_s);
  /// Records that `worker` got the chunk of slot `original` too.
  ChunkId add_copy(OfWorker& holder, WorkerId worker, std::uint32_t original, double now_s);
  /// The unfinished chunk to give again: the least copied, of these the oldest; `none` when each has its
  /// copies.
  std::uint32_t next_to_copy() const;

  /// Does the worker hold this assignment? False for stale ids and for ids never given.
  bool holds(WorkerId worker, ChunkId id) const;
  Chunk chunk(std::uint32_t slot) const { return slots_[slot].chunk; }
  double assigned_s(std::uint32_t slot) const { return slots_[slot].assigned_s; }
  /// Somebody else returned this chunk first.
  bool is_superseded(std::uint32_t slot) const { return slots_[slot].is_superseded; }
  /// Nobody else holds this chunk, and it is unfinished.
  bool is_sole(std::uint32_t slot) const { return slots_[slot].next_copy == slot && !is_superseded(slot); }
  ChunkId id(std::uint32_t slot) const { return {slot, slots_[slot].generation}; }
  bool is_copy(std::uint32_t slot) const { return slots_[slot].is_copy; }
  std::uint32_t next_held(std::uint32_t slot) const { return slots_[slot].newer_held; }

  /// The chunk is finished: whoever else holds it is superseded. The slot stays until it is released.
  void finish(std::uint32_t slot);
  /// Forgets an assignment: it was returned, or its holder is gone. Its id is stale from now on.
  void release(OfWorker& holder, std::uint32_t slot);

  /// All slots ever used at once; every slot number is below.
  std::uint32_t slots() const { return static_cast<std::uint32_t>(slots_.size()); }

 private:
  // One cache line, so that an assignment far from the last one costs one miss.
  struct alignas(64) Slot {
    Chunk chunk;
    double assigned_s = 0;
    std::uint32_t generation = 0;
    WorkerId worker{};
    std::uint32_t older_held = none, newer_held = none;  // of the same worker; newer: next free slot
    std::uint32_t next_copy = none;                      // ring; a slot without copies is its own
    std::uint32_t older_unfinished = none, newer_unfinished = none;  // for the chunk's leading slot only
    std::uint8_t copies = 0;  // in the leading slot: how many others hold the chunk
    bool is_used = false, is_leading = false, is_copy = false, is_superseded = false;
  };
  struct List {
    std::uint32_t oldest = none, newest = none;
  };

  std::uint32_t take_free();
  ChunkId record(OfWorker& holder, WorkerId worker, Chunk chunk, double now_s);
  void leave_worker(OfWorker& holder, std::uint32_t slot);
  void leave_ring(std::uint32_t slot);
  std::uint32_t leading(std::uint32_t slot) const;
  void append_unfinished(std::uint32_t slot);
  void prepend_unfinished(std::uint32_t slot);
  void remove_unfinished(std::uint32_t slot);

  std::vector<Slot> slots_;
  std::uint32_t free_ = none;
  std::array<List, max_copies + 1> unfinished_;  // by number of copies
};

// What every chunk passes through stands here, so that the dispatcher does it without calls.

inline ChunkId OutstandingChunks::add(OfWorker& holder, WorkerId worker, Chunk chunk, double now_s) {
  const ChunkId id = record(holder, worker, chunk, now_s);
  slots_[id.slot].is_leading = true;
  append_unfinished(id.slot);
  return id;
}

inline bool OutstandingChunks::holds(WorkerId worker, ChunkId id) const {
  if (id.slot >= slots_.size()) return false;
  const Slot& slot = slots_[id.slot];
  return slot.is_used && slot.generation == id.generation && slot.worker == worker;
}

inline void OutstandingChunks::finish(std::uint32_t slot) {
  remove_unfinished(leading(slot));
  for (std::uint32_t at = slot; !slots_[at].is_superseded;) {
    slots_[at].is_superseded = true;
    at = std::exchange(slots_[at].next_copy, at);
  }
}

inline void OutstandingChunks::release(OfWorker& holder, std::uint32_t slot) {
  leave_worker(holder, slot);
  if (!slots_[slot].is_superseded) leave_ring(slot);
  const std::uint32_t generation = slots_[slot].generation + 1;
  slots_[slot] = Slot{};
  slots_[slot].generation = generation;
  slots_[slot].newer_held = std::exchange(free_, slot);
}

inline std::uint32_t OutstandingChunks::take_free() {
  if (free_ == none) {
    slots_.emplace_back();
    return slots() - 1;
  }
  return std::exchange(free_, slots_[free_].newer_held);
}

inline ChunkId OutstandingChunks::record(OfWorker& holder, WorkerId worker, Chunk chunk, double now_s) {
  const std::uint32_t number = take_free();
  Slot& slot = slots_[number];
  slot.chunk = chunk;
  slot.assigned_s = now_s;
  slot.worker = worker;
  slot.is_used = true;
  slot.next_copy = number;
  slot.newer_held = none;
  slot.older_held = std::exchange(holder.newest, number);
  (slot.older_held == none ? holder.oldest : slots_[slot.older_held].newer_held) = number;
  ++holder.count;
  return {number, slot.generation};
}

inline void OutstandingChunks::leave_worker(OfWorker& holder, std::uint32_t slot) {
  const auto [older, newer] = std::pair(slots_[slot].older_held, slots_[slot].newer_held);
  (older == none ? holder.oldest : slots_[older].newer_held) = newer;
  (newer == none ? holder.newest : slots_[newer].older_held) = older;
  --holder.count;
}

inline std::uint32_t OutstandingChunks::leading(std::uint32_t slot) const {
  while (!slots_[slot].is_leading) slot = slots_[slot].next_copy;
  return slot;
}

inline void OutstandingChunks::append_unfinished(std::uint32_t slot) {
  List& list = unfinished_[slots_[slot].copies];
  slots_[slot].newer_unfinished = none;
  slots_[slot].older_unfinished = std::exchange(list.newest, slot);
  const std::uint32_t older = slots_[slot].older_unfinished;
  (older == none ? list.oldest : slots_[older].newer_unfinished) = slot;
}

inline void OutstandingChunks::remove_unfinished(std::uint32_t slot) {
  List& list = unfinished_[slots_[slot].copies];
  const auto [older, newer] = std::pair(slots_[slot].older_unfinished, slots_[slot].newer_unfinished);
  (older == none ? list.oldest : slots_[older].newer_unfinished) = newer;
  (newer == none ? list.newest : slots_[newer].older_unfinished) = older;
}

}  // namespace loadshare
