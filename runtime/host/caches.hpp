#pragma once

#include "base/types.hpp"

namespace loadshare {

/// The caches that a core has to itself, in bytes. A size is the usual one where the system does not say.
struct Caches {
  Index first_bytes = Index{32} << 10;    ///< of the first cache for data
  Index second_bytes = Index{512} << 10;  ///< of the second, for everything
};

/// Of the processor that this is called on; processors of one host are taken to be alike. Never
/// fails.
Caches caches_of_core();

}  // namespace loadshare
