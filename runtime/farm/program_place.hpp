#pragma once

#include <atomic>
#include <string>

#include "base/types.hpp"
#include "runtime/transport/policies.hpp"
#include "runtime/transport/transport.hpp"

namespace loadshare {

/// Where in its program a process is: it begins one loop after the other, and ends. Ranks that come to
/// different places would wait for each other for ever.
class ProgramPlace {
 public:
  /// Throws UsageError in a loop's body, wherever that is computed.
  void require_no_loop() const;
  /// Throws Error(usage) on all ranks if a rank is elsewhere in the program than the master. If ranks may be
  /// gone, under re-issue or because they join and leave, it throws on that rank alone. Collective.
  void begin_loop(Transport& transport, Reissue reissue);
  void end(Transport& transport, Reissue reissue) const;

  /// While it lives, the process is in a loop, so that a call comes from the loop's body.
  class InLoop {
   public:
    explicit InLoop(ProgramPlace& place) : place_(place) { place_.is_in_loop_ = true; }
    ~InLoop() { place_.is_in_loop_ = false; }
    InLoop(const InLoop&) = delete;
    InLoop& operator=(const InLoop&) = delete;

   private:
    ProgramPlace& place_;
  };

 private:
  Index loops_ = 0;  // begun so far
  std::atomic<bool> is_in_loop_ = false;
};

}  // namespace loadshare
