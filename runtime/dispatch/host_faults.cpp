#include "runtime/dispatch/host_faults.hpp"

#include <algorithm>

namespace loadshare {

void HostFaults::joined(WorkerId worker, std::uint32_t host) {
  if (host == WorkerFacts::unknown_host) return;
  if (to_number(worker) >= hosts_.size()) hosts_.resize(to_number(worker) + 1, WorkerFacts::unknown_host);
  hosts_[to_number(worker)] = host;
  if (host >= faults_.size()) faults_.resize(host + 1);
}

bool HostFaults::is_aside(WorkerId worker) const {
  const std::uint32_t host = host_of(worker);
  return host != WorkerFacts::unknown_host && std::ranges::find(aside_, host) != aside_.end();
}

}  // namespace loadshare
