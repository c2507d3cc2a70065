#pragma once

#include <memory>

#include "runtime/transport/network.hpp"
#include "runtime/transport/transport.hpp"

namespace loadshare {

/// The master of workers that come over TCP and go as they like; with `local_workers` threads of its own
/// process as workers. Throws UsageError where it cannot listen at `network.listen`.
std::unique_ptr<Transport> make_tcp_master(const NetworkOptions& network, std::size_t local_workers);

/// A process of so many workers of the master at `network.join`. Throws UsageError where that refuses it, and
/// Error(run_failed) where it is not there, then or later.
std::unique_ptr<Transport> make_tcp_worker(const NetworkOptions& network, std::size_t workers);

}  // namespace loadshare
