#include "runtime/profile/communicator_table.hpp"

#include <algorithm>
#include <cstring>
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

std::uint32_t CommunicatorTable::index_of(std::uint64_t id) {
  const auto [known, is_new] = indices_.emplace(id, static_cast<std::uint32_t>(communicators_.size()));
  if (is_new) communicators_.push_back({"a communicator", {}});
  return known->second;
}

/// The latest block tells the latest name.
void CommunicatorTable::describe(const StoredBlock& block) {
  Communicator& communicator = communicators_[index_of(block.header->communicator)];
  CommunicatorContent content{};
  std::memcpy(&content, block.content, sizeof content);
  communicator.name.assign(content.name.begin(), std::ranges::find(content.name, 0));
  communicator.members.resize(block.header->count);
  if (communicator.members.empty()) return;  // memcpy takes no null pointer, not even for nothing
  std::memcpy(communicator.members.data(), block.content + sizeof content,
              communicator.members.size() * sizeof(std::int32_t));
}

}  // namespace loadshare::profile
