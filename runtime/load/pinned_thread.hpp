#pragma once

#include <sched.h>

#include <optional>
#include <vector>

namespace loadshare {

/// Keeps the calling thread on one processor while it lives, then gives it back those it had. Where the
/// system does not allow that, nothing changes. Without a processor it does nothing.
class PinnedThread final {
 public:
  explicit PinnedThread(std::optional<int> cpu);
  ~PinnedThread();
  PinnedThread(const PinnedThread&) = delete;
  PinnedThread& operator=(const PinnedThread&) = delete;

  bool is_pinned() const { return is_pinned_; }

 private:
  cpu_set_t before_;
  bool is_pinned_ = false;
};

/// The processors that the calling thread may run on, ascending.
std::vector<int> allowed_cpus();

}  // namespace loadshare
