#include "runtime/dispatch/outstanding_chunks.hpp"

namespace loadshare {

ChunkId OutstandingChunks::add(OfWorker& holder, WorkerId worker, const OpenRange& range, double now_s) {
  const ChunkId id = add(holder, worker, range.chunk, now_s);
  if (range.contest != OpenRange::none) contest(id.slot, range.contest);
  slots_[id.slot].failures = range.failures;
  return id;
}

void OutstandingChunks::contest(std::uint32_t slot, std::uint32_t contest) {
  if (has_sole_list_) remove_sole(slot);
  slots_[slot].contest = contest;
}

std::uint32_t OutstandingChunks::add_slot() {
  slots_.emplace_back();
  return slots() - 1;
}

void OutstandingChunks::append_sole(std::uint32_t slot) {
  slots_[slot].newer_sole = none;
  slots_[slot].older_sole = std::exchange(sole_.newest, slot);
  const std::uint32_t older = slots_[slot].older_sole;
  (older == none ? sole_.oldest : slots_[older].newer_sole) = slot;
}

void OutstandingChunks::remove_sole(std::uint32_t slot) {
  const auto [older, newer] = std::pair(slots_[slot].older_sole, slots_[slot].newer_sole);
  (older == none ? sole_.oldest : slots_[older].newer_sole) = newer;
  (newer == none ? sole_.newest : slots_[newer].older_sole) = older;
}

}  // namespace loadshare
