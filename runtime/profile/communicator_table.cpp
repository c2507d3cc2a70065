#include "runtime/profile/communicator_table.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>

namespace loadshare::profile {

CommunicatorTable::CommunicatorTable(const StoredProfile& stored) {
  Communicator& world = communicators_[index_of(world_id)];
  world.name = "MPI_COMM_WORLD";
  world.members.resize(stored.sections().front().header->ranks_started);
  std::iota(world.members.begin(), world.members.end(), 0);
  for (const StoredSection& section : stored.sections())
    for (const StoredBlock& block : section.blocks)
      if (block.header->kind == BlockKind::communicator) describe(block);
}

std::uint16_t CommunicatorTable::index_of(std::uint32_t id) {
  constexpr std::size_t most = std::numeric_limits<std::uint16_t>::max();
  const auto known = indices_.find(id);
  if (known != indices_.end()) return known->second;
  if (communicators_.size() <= most) communicators_.push_back({"a communicator", {}});
  const auto index = static_cast<std::uint16_t>(communicators_.size() - 1);
  indices_.emplace(id, index);
  return index;
}

/// The latest block tells the latest name.
void CommunicatorTable::describe(const StoredBlock& block) {
  Communicator& communicator = communicators_[index_of(block.header->number)];
  CommunicatorContent content{};
  std::memcpy(&content, block.content, sizeof content);
  communicator.name.assign(content.name.begin(), std::ranges::find(content.name, 0));
  communicator.members.resize(block.header->count);
  std::memcpy(communicator.members.data(), block.content + sizeof content,
              communicator.members.size() * sizeof(std::int32_t));
}

}  // namespace loadshare::profile
