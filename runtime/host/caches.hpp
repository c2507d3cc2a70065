#pragma once

#include "base/types.hpp"

namespace loadshare {

/// The caches of one core, in bytes. If the system does not report a size, it keeps the usual one.
struct Caches {
  Index first_bytes = Index{32} << 10;    ///< first-level data cache
  Index second_bytes = Index{512} << 10;  ///< second-level cache
};

/// Returns the caches of the current processor. All processors of a host are assumed to be alike. Never
/// fails.
Caches caches_of_core();

}  // namespace loadshare
