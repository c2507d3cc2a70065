#include "runtime/profile/interpose/settings.hpp"

#include <cstdlib>

namespace loadshare::profile {

Settings Settings::from_environment() {
  Settings settings;
  if (const char* out = std::getenv("LOADSHARE_PROFILE_OUT"); out != nullptr && *out != 0) settings.out = out;
  if (const char* limit = std::getenv("LOADSHARE_PROFILE_LIMIT"); limit != nullptr && *limit != 0) {
    char* end = nullptr;
    const unsigned long long bytes = std::strtoull(limit, &end, 10);
    if (*end == 0) settings.limit_bytes = bytes;
  }
  return settings;
}

}  // namespace loadshare::profile
