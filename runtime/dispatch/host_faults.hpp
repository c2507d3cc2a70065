#pragma once

#include <cstdint>
#include <vector>

#include "base/types.hpp"
#include "schedulers/chunk_scheduler.hpp"

namespace loadshare {

/// On which hosts everything fails at once: several times a worker of theirs failed on a chunk that had done
/// nobody any harm, or was lost with one, and no chunk ever came back from there.
class HostFaults {
 public:
  /// A host with so many is taken for the culprit; 0: none is.
  explicit HostFaults(std::uint8_t most) : most_(most) {}

  void joined(WorkerId worker, std::uint32_t host);
  bool is_aside(WorkerId worker) const;
  /// The worker failed on a chunk, or was lost with it. Returns whether its host
  /// has had enough of these; `has_returned(worker)`: something that counted.
  template <class HasReturned>
  bool happened(WorkerId worker, HasReturned has_returned) {
    const std::uint32_t host = host_of(worker);
    if (most_ == 0 || host == WorkerFacts::unknown_host) return false;
    for (std::uint32_t number = 0; number < hosts_.size(); ++number)
      if (hosts_[number] == host && has_returned(WorkerId{number})) return false;
    return ++faults_[host] >= most_;
  }
  void set_aside(WorkerId worker) { aside_.push_back(host_of(worker)); }

 private:
  std::uint32_t host_of(WorkerId worker) const {
    return to_number(worker) < hosts_.size() ? hosts_[to_number(worker)] : WorkerFacts::unknown_host;
  }

  std::uint8_t most_;
  std::vector<std::uint32_t> hosts_;   // by worker
  std::vector<std::uint32_t> faults_;  // by host
  std::vector<std::uint32_t> aside_;
};

}  // namespace loadshare
