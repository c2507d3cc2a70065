#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "runtime/profile/profile.hpp"
#include "runtime/profile/stored_profile.hpp"

namespace loadshare::profile {

/// The communicators and windows of a run, each once, by the ids in its files. The first is MPI_COMM_WORLD.
/// One that is not described there is added when an event names it.
class CommunicatorTable final {
 public:
  explicit CommunicatorTable(const StoredProfile& stored);

  std::uint32_t index_of(std::uint64_t id);
  std::vector<Communicator> take() { return std::move(communicators_); }

 private:
  void describe(const StoredBlock& block);

  std::unordered_map<std::uint64_t, std::uint32_t> indices_;
  std::vector<Communicator> communicators_;
};

}  // namespace loadshare::profile
