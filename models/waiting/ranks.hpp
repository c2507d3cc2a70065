#pragma once

#include <cstdint>
#include <vector>

#include "models/waiting/calls.hpp"

namespace loadshare::waiting {

/// Where the ranks of MPI_COMM_WORLD stand in a profile, in which some may be missing.
class Ranks {
 public:
  explicit Ranks(const profile::Profile& profile) {
    for (std::uint32_t at = 0; at < profile.ranks.size(); ++at) {
      const auto rank = static_cast<std::size_t>(profile.ranks[at].rank);
      if (rank >= position_.size()) position_.resize(rank + 1, EventId::none);
      position_[rank] = at;
    }
  }

  /// EventId::none where it is missing.
  std::uint32_t position(std::int32_t rank) const {
    const auto index = static_cast<std::size_t>(rank);
    return rank >= 0 && index < position_.size() ? position_[index] : EventId::none;
  }

 private:
  std::vector<std::uint32_t> position_;
};

}  // namespace loadshare::waiting
