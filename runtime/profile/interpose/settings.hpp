#pragma once

#include <cstdint>

#include "runtime/profile/interpose/section.hpp"

namespace loadshare::profile {

/// What the environment says: LOADSHARE_PROFILE_OUT, LOADSHARE_PROFILE_LIMIT.
struct Settings {
  const char* out = "loadshare.profile";
  std::uint64_t limit_bytes = std::uint64_t{64} << 20;  ///< of events and communicators, a rank

  Trouble read_environment();
};

}  // namespace loadshare::profile
