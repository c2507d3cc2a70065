#include "runtime/profile/interpose/settings.hpp"

#include <cstdlib>

#include "runtime/profile/byte_count.hpp"

namespace loadshare::profile {
namespace {

/// What the environment says; null where it says nothing.
const char* said(const char* name) {
  const char* text = std::getenv(name);
  return text == nullptr || *text == 0 ? nullptr : text;
}

}  // namespace

Trouble Settings::read_environment() {
  if (const char* text = said("LOADSHARE_PROFILE_OUT")) out = text;
  if (const char* text = said("LOADSHARE_PROFILE_LIMIT")) {
    const auto bytes = byte_count(text);
    if (!bytes) return trouble("LOADSHARE_PROFILE_LIMIT is", text, byte_count_form);
    limit_bytes = *bytes;
  }
  return {};
}

}  // namespace loadshare::profile
