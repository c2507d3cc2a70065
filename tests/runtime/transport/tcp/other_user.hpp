#pragma once

#include <sys/fsuid.h>
#include <unistd.h>

namespace loadshare::tcp {

/// While it lives, what the calling thread makes belongs to another user; only root can, unless a container
/// has no other user.
class OtherUser final {
 public:
  static constexpr uid_t number = 65534;

  OtherUser() { setfsuid(number); }
  ~OtherUser() { setfsuid(geteuid()); }
  OtherUser(const OtherUser&) = delete;
  OtherUser& operator=(const OtherUser&) = delete;

  static bool can_be() {
    if (geteuid() != 0) return false;
    const OtherUser attempt;
    return setfsuid(number) == static_cast<int>(number);  // which is how it reports the one before
  }
};

}  // namespace loadshare::tcp
