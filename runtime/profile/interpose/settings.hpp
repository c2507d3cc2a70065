#pragma once

#include <cstdint>

namespace loadshare::profile {

/// What the environment says: LOADSHARE_PROFILE_OUT, LOADSHARE_PROFILE_LIMIT.
struct Settings {
  const char* out = "loadshare.profile";
  std::uint64_t limit_bytes = std::uint64_t{64} << 20;  ///< of events, a rank

  /// A limit that is no number counts as none given.
  static Settings from_environment();
};

}  // namespace loadshare::profile
