#include "runtime/transport/aside_memory.hpp"

#include <algorithm>
#include <iterator>

namespace loadshare {
namespace {

std::size_t whole_lines(std::size_t bytes) {
  return (bytes + ChunkMemory::alignment - 1) / ChunkMemory::alignment * ChunkMemory::alignment;
}

}  // namespace

AsideMemory::AsideMemory(std::span<std::byte> memory) : memory_(memory) {
  if (!memory.empty()) free_[0] = memory.size();
}

std::size_t AsideMemory::bytes_for(const RunPlan& plan, std::size_t workers, const DataLayout& layout) {
  const std::size_t all = plan.landing == Landing::aside ? layout.output_bytes({0, plan.iterations}) : 0;
  constexpr std::size_t holders = 3;  // a worker, and those with copies
  return all == 0 ? 0 : holders * (whole_lines(all) + workers * (plan.prefetch + 1) * ChunkMemory::alignment);
}

std::optional<std::size_t> AsideMemory::take(std::size_t bytes) {
  const std::size_t room = whole_lines(bytes);
  const auto found = std::ranges::find_if(free_, [room](const auto& gap) { return gap.second >= room; });
  if (found == free_.end()) return std::nullopt;
  const auto [first, size] = *found;
  free_.erase(found);
  if (size > room) free_[first + room] = size - room;
  return first;
}

void AsideMemory::give_back(std::size_t first, std::size_t bytes) {
  std::size_t room = whole_lines(bytes);
  auto next = free_.lower_bound(first);
  if (next != free_.end() && next->first == first + room) {
    room += next->second;
    next = free_.erase(next);
  }
  if (next != free_.begin()) {
    const auto before = std::prev(next);
    if (before->first + before->second == first) {
      before->second += room;
      return;
    }
  }
  free_[first] = room;
}

}  // namespace loadshare
