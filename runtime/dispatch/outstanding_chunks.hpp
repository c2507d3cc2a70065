#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/types.hpp"
#include "runtime/dispatch/decision.hpp"
#include "runtime/dispatch/iteration_pool.hpp"

namespace loadshare {

/// Who holds which chunk: one compact record (a slot) for each assignment that has not come back.
///
/// Slots are linked by number in two ways: all that one worker holds (oldest first), and all that only one
/// worker holds (oldest first). Freed slots are used again, so the memory follows what is outstanding, not
/// the length of the loop; nothing is searched or hashed.
class OutstandingChunks {
 public:
  static constexpr std::uint32_t none = UINT32_MAX;
  static constexpr WorkerId nobody{UINT32_MAX};
  static constexpr Index not_begun = -1;

  /// What one worker holds.
  struct OfWorker {
    std::uint32_t oldest = none;
    std::uint32_t newest = none;
    std::uint32_t count = 0;
  };

  /// What became of an assignment meanwhile. A byte, so that a slot is cleared at once.
  struct Marks {
    bool is_copy : 1 = false;
    bool is_recalled : 1 = false;
    bool is_cancelled : 1 = false;
    bool is_doubted : 1 = false;  // its worker cannot be relied on
  };

  // One cache line, so that an assignment far from the last one costs one miss.
  struct alignas(64) Slot {
    Chunk chunk;
    double assigned_s = 0;
    Index progress = not_begun;  // iterations that its worker said were done
    std::uint32_t generation = 0;
    WorkerId worker = nobody;                            // nobody: the slot is free
    std::uint32_t older_held = none, newer_held = none;  // of the same worker; newer: next free slot
    std::uint32_t older_sole = none, newer_sole = none;  // of those that no contest is about
    std::uint32_t contest = OpenRange::none;
    std::uint8_t failures = 0;
    Marks marks;

    bool is_begun() const { return progress >= 0; }
    Index done() const { return std::max<Index>(progress, 0); }

    /// Marks it; whether it was not.
    bool recall() { return !marks.is_recalled && (marks.is_recalled = true); }
    bool cancel() { return !marks.is_cancelled && (marks.is_cancelled = true); }
  };

  enum class Copies { never, possible };
  /// If copies are never made at the tail, no list of the chunks that only one worker holds is kept.
  explicit OutstandingChunks(Copies copies) : has_sole_list_(copies == Copies::possible) {}

  /// Records that `worker` got this chunk.
  ChunkId add(OfWorker& holder, WorkerId worker, Chunk chunk, double now_s);
  /// The same for a chunk with a past.
  ChunkId add(OfWorker& holder, WorkerId worker, const OpenRange& range, double now_s);
  /// The oldest that no contest is about, or `none`.
  std::uint32_t oldest_sole() const { return sole_.oldest; }
  /// A contest is about this chunk from now on.
  void contest(std::uint32_t slot, std::uint32_t contest);

  /// Does the worker hold this assignment? False for stale ids and for ids never given.
  bool holds(WorkerId worker, ChunkId id) const;
  /// Visits the slots that a worker holds, oldest first.
  template <class Visit>
  void for_each(const OfWorker& holder, Visit visit) const {
    for (std::uint32_t slot = holder.oldest; slot != none; slot = slots_[slot].newer_held) visit(slot);
  }
  Slot& operator[](std::uint32_t slot) { return slots_[slot]; }
  const Slot& operator[](std::uint32_t slot) const { return slots_[slot]; }
  ChunkId id(std::uint32_t slot) const { return {slot, slots_[slot].generation}; }

  /// Forgets an assignment: it was returned, or its holder is gone. Its id is stale from now on.
  void release(OfWorker& holder, std::uint32_t slot);

  /// All slots ever used at once; every slot number is below.
  std::uint32_t slots() const { return static_cast<std::uint32_t>(slots_.size()); }

 private:
  struct List {
    std::uint32_t oldest = none, newest = none;
  };

  std::uint32_t take_free();
  std::uint32_t add_slot();
  void leave_worker(OfWorker& holder, std::uint32_t slot);
  void append_sole(std::uint32_t slot);
  void remove_sole(std::uint32_t slot);

  bool has_sole_list_;
  std::vector<Slot> slots_;
  std::uint32_t free_ = none;
  List sole_;
};

// What every chunk passes through stands here, so that the dispatcher does it without calls.

inline ChunkId OutstandingChunks::add(OfWorker& holder, WorkerId worker, Chunk chunk, double now_s) {
  const std::uint32_t number = take_free();
  Slot& slot = slots_[number];
  slot.chunk = chunk;
  slot.assigned_s = now_s;
  slot.progress = not_begun;
  slot.worker = worker;
  slot.contest = OpenRange::none;
  slot.failures = 0;
  slot.marks = {};
  slot.newer_held = none;
  slot.older_held = std::exchange(holder.newest, number);
  (slot.older_held == none ? holder.oldest : slots_[slot.older_held].newer_held) = number;
  ++holder.count;
  if (has_sole_list_) append_sole(number);
  return {number, slot.generation};
}

inline bool OutstandingChunks::holds(WorkerId worker, ChunkId id) const {
  if (id.slot >= slots_.size() || worker == nobody) return false;
  const Slot& slot = slots_[id.slot];
  return slot.worker == worker && slot.generation == id.generation;
}

inline void OutstandingChunks::release(OfWorker& holder, std::uint32_t slot) {
  leave_worker(holder, slot);
  if (has_sole_list_ && slots_[slot].contest == OpenRange::none) remove_sole(slot);
  ++slots_[slot].generation;
  slots_[slot].worker = nobody;
  slots_[slot].newer_held = std::exchange(free_, slot);
}

inline std::uint32_t OutstandingChunks::take_free() {
  if (free_ == none) return add_slot();
  return std::exchange(free_, slots_[free_].newer_held);
}

inline void OutstandingChunks::leave_worker(OfWorker& holder, std::uint32_t slot) {
  const auto [older, newer] = std::pair(slots_[slot].older_held, slots_[slot].newer_held);
  (older == none ? holder.oldest : slots_[older].newer_held) = newer;
  (newer == none ? holder.newest : slots_[newer].older_held) = older;
  --holder.count;
}

}  // namespace loadshare
