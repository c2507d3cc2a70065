#include "runtime/dispatch/outstanding_chunks.hpp"

namespace loadshare {

ChunkId OutstandingChunks::add_copy(OfWorker& holder, WorkerId worker, std::uint32_t original, double now_s) {
  const std::uint32_t leader = leading(original);
  const ChunkId id = record(holder, worker, slots_[leader].chunk, now_s);
  slots_[id.slot].is_copy = true;
  std::swap(slots_[id.slot].next_copy, slots_[leader].next_copy);
  remove_unfinished(leader);
  ++slots_[leader].copies;
  append_unfinished(leader);
  return id;
}

std::uint32_t OutstandingChunks::next_to_copy() const {
  for (std::uint32_t copies = 0; copies < max_copies; ++copies)
    if (unfinished_[copies].oldest != none) return unfinished_[copies].oldest;
  return none;
}

// An unfinished chunk loses one holder. The next in the ring leads where the leader went; with a copy fewer,
// the chunk is first in its new list, for it was given away before most there.
void OutstandingChunks::leave_ring(std::uint32_t slot) {
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

void OutstandingChunks::prepend_unfinished(std::uint32_t slot) {
  List& list = unfinished_[slots_[slot].copies];
  slots_[slot].older_unfinished = none;
  slots_[slot].newer_unfinished = std::exchange(list.oldest, slot);
  const std::uint32_t newer = slots_[slot].newer_unfinished;
  (newer == none ? list.newest : slots_[newer].older_unfinished) = slot;
}

}  // namespace loadshare
