#include "runtime/transport/placement.hpp"

#include <algorithm>
#include <cstring>

namespace loadshare {

namespace {

std::span<std::byte> fit(std::vector<std::byte>& memory, std::size_t bytes) {
  if (memory.size() < bytes) memory.resize(bytes);
  return std::span(memory).first(bytes);
}

}  // namespace

std::span<std::byte> FirstWins::output(const Order& order) {
  return fit(memory_, cargo_.output_bytes(order.chunk));
}

bool FirstWins::settle(Chunk chunk, std::span<const std::byte> output) {
  if (!control_.claim(chunk)) return false;
  if (!output.empty()) std::memcpy(cargo_.output(chunk).data(), output.data(), output.size());
  return true;
}

std::optional<std::uint32_t> ChunkBuffers::open(Chunk chunk) {
  const auto slot = std::ranges::find(slots_, false, &Slot::is_used);
  if (slot == slots_.end()) return std::nullopt;
  slot->is_used = true;
  slot->input = fit(slot->input_memory, cargo_.input_bytes(chunk));
  slot->output = fit(slot->output_memory, cargo_.output_bytes(chunk));
  return static_cast<std::uint32_t>(slot - slots_.begin());
}

}  // namespace loadshare
