#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "runtime/profile/profile.hpp"

namespace loadshare::waiting {

/// Which call of a rank made which request: sends, receives and collectives that were started.
class Requests {
 public:
  explicit Requests(const std::vector<profile::Event>& events);

  /// The index of the event that started it; nothing where the profile does not tell.
  std::optional<std::uint32_t> started_at(std::uint32_t request) const;

 private:
  std::vector<std::pair<std::uint32_t, std::uint32_t>> starts_;  ///< {request, event}, by request
};

}  // namespace loadshare::waiting
