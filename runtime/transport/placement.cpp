#include "runtime/transport/placement.hpp"

#include <algorithm>
#include <cstring>

namespace loadshare {

std::span<std::byte> ChunkMemory::fit(std::size_t bytes) {
  if (aligned_.size() < bytes) {
    aligned_ = {};
    std::size_t room = bytes + alignment;
    memory_.reset(std::calloc(room, 1));  // which knows of fresh pages that they are zero
    if (memory_ == nullptr) throw std::bad_alloc();
    void* first = memory_.get();
    aligned_ = {static_cast<std::byte*>(std::align(alignment, bytes, first, room)), bytes};
  }
  return aligned_.first(bytes);
}

void bring_to_place(DataLayout& layout, Chunk whole, Chunk part, std::span<const std::byte> aside) {
  const std::span<std::byte> place = layout.output(part);
  if (place.empty()) return;
  std::memcpy(place.data(), aside.data() + (place.data() - layout.output(whole).data()), place.size());
}

std::optional<std::uint32_t> ChunkBuffers::open(Chunk chunk) {
  const auto slot = std::ranges::find(slots_, false, &Slot::is_used);
  if (slot == slots_.end()) return std::nullopt;
  slot->is_used = true;
  slot->input = slot->input_memory.fit(layout_.input_bytes(chunk));
  slot->output = slot->output_memory.fit(layout_.output_bytes(chunk));
  return static_cast<std::uint32_t>(slot - slots_.begin());
}

}  // namespace loadshare
