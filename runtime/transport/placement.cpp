#include "runtime/transport/placement.hpp"

#include <algorithm>
#include <cstring>

namespace loadshare {

std::span<std::byte> ChunkMemory::fit(std::size_t bytes) {
  if (size_ < bytes) {
    memory_.reset(new (std::align_val_t{alignment}) std::byte[bytes]());
    size_ = bytes;
  }
  return {memory_.get(), bytes};
}

std::span<std::byte> FirstWins::output(const Order& order) {
  return memory_.fit(layout_.output_bytes(order.chunk));
}

bool FirstWins::publish(Chunk chunk, std::span<const std::byte> output) {
  if (!control_.claim(chunk)) return false;
  if (!output.empty()) std::memcpy(layout_.output(chunk).data(), output.data(), output.size());
  return true;
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
