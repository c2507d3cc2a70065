#include "runtime/dispatch/holdings.hpp"

#include <utility>

namespace loadshare {

ChunkId Holdings::add(OfWorker& holder, WorkerId worker, Chunk chunk, double now_s) {
  const ChunkId id = record(holder, worker, chunk, now_s);
  slots_[id.slot].is_leading = true;
  append_unfinished(id.slot);
  return id;
}

ChunkId Holdings::add_copy(OfWorker& holder, WorkerId worker, std::uint32_t original, double now_s) {
  const std::uint32_t leader = leading(original);
  const ChunkId id = record(holder, worker, slots_[leader].chunk, now_s);
  slots_[id.slot].is_copy = true;
  std::swap(slots_[id.slot].next_copy, slots_[leader].next_copy);
  remove_unfinished(leader);
  ++slots_[leader].copies;
  append_unfinished(leader);
  return id;
}

std::uint32_t Holdings::next_to_copy() const {
  for (std::uint32_t copies = 0; copies < max_copies; ++copies)
    if (unfinished_[copies].oldest != none) return unfinished_[copies].oldest;
  return none;
}

bool Holdings::holds(WorkerId worker, ChunkId id) const {
  if (id.slot >= slots_.size()) return false;
  const Slot& slot = slots_[id.slot];
  return slot.is_used && slot.generation == id.generation && slot.worker == worker;
}

void Holdings::finish(std::uint32_t slot) {
  remove_unfinished(leading(slot));
  for (std::uint32_t at = slot; !slots_[at].is_superseded;) {
    slots_[at].is_superseded = true;
    at = std::exchange(slots_[at].next_copy, at);
  }
}

void Holdings::release(OfWorker& holder, std::uint32_t slot) {
  leave_worker(holder, slot);
  if (!slots_[slot].is_superseded) leave_ring(slot);
  const std::uint32_t generation = slots_[slot].generation + 1;
  slots_[slot] = Slot{};
  slots_[slot].generation = generation;
  slots_[slot].newer_held = std::exchange(free_, slot);
}

std::uint32_t Holdings::take_free() {
  if (free_ == none) {
    slots_.emplace_back();
    return slots() - 1;
  }
  return std::exchange(free_, slots_[free_].newer_held);
}

ChunkId Holdings::record(OfWorker& holder, WorkerId worker, Chunk chunk, double now_s) {
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

void Holdings::leave_worker(OfWorker& holder, std::uint32_t slot) {
  const auto [older, newer] = std::pair(slots_[slot].older_held, slots_[slot].newer_held);
  (older == none ? holder.oldest : slots_[older].newer_held) = newer;
  (newer == none ? holder.newest : slots_[newer].older_held) = older;
  --holder.count;
}

// An unfinished chunk loses one holder. The next in the ring leads where the leader went; with a copy fewer,
// the chunk is first in its new list, for it was given away before most there.
void Holdings::leave_ring(std::uint32_t slot) {
  const std::uint32_t leader = leading(slot);
  remove_unfinished(leader);
  if (slots_[slot].next_copy == slot) return;
  std::uint32_t before = slot;
  while (slots_[before].next_copy != slot) before = slots_[before].next_copy;
  slots_[before].next_copy = slots_[slot].next_copy;
  const std::uint32_t heir = leader == slot ? before : leader;
  slots_[heir].is_leading = true;
  slots_[heir].copies = static_cast<std::uint8_t>(slots_[leader].copies - 1);
  prepend_unfinished(heir);
}

std::uint32_t Holdings::leading(std::uint32_t slot) const {
  while (!slots_[slot].is_leading) slot = slots_[slot].next_copy;
  return slot;
}

void Holdings::append_unfinished(std::uint32_t slot) {
  List& list = unfinished_[slots_[slot].copies];
  slots_[slot].newer_unfinished = none;
  slots_[slot].older_unfinished = std::exchange(list.newest, slot);
  const std::uint32_t older = slots_[slot].older_unfinished;
  (older == none ? list.oldest : slots_[older].newer_unfinished) = slot;
}

void Holdings::prepend_unfinished(std::uint32_t slot) {
  List& list = unfinished_[slots_[slot].copies];
  slots_[slot].older_unfinished = none;
  slots_[slot].newer_unfinished = std::exchange(list.oldest, slot);
  const std::uint32_t newer = slots_[slot].newer_unfinished;
  (newer == none ? list.newest : slots_[newer].older_unfinished) = slot;
}

void Holdings::remove_unfinished(std::uint32_t slot) {
  List& list = unfinished_[slots_[slot].copies];
  const auto [older, newer] = std::pair(slots_[slot].older_unfinished, slots_[slot].newer_unfinished);
  (older == none ? list.oldest : slots_[older].newer_unfinished) = newer;
  (newer == none ? list.newest : slots_[newer].older_unfinished) = older;
}

}  // namespace loadshare
