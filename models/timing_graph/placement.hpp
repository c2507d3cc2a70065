#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "models/communication/message_costs.hpp"

namespace loadshare::timing_graph {

/// Where processes run, and what messages cost there. Processes of one host share its way out and its way in
/// to the others, and need neither among themselves.
struct Placement {
  const communication::MessageCosts* between_hosts = nullptr;
  std::vector<std::uint32_t> hosts{};  ///< by rank, from 0; empty: one for each process
  const communication::MessageCosts* inside_hosts = nullptr;  ///< none: as between them, without the ways

  std::size_t host_of(std::int32_t rank) const {
    const auto at = static_cast<std::size_t>(rank);
    return hosts.empty() ? at : hosts[at];
  }
  std::size_t host_count(std::size_t processes) const {
    return hosts.empty() ? processes : std::size_t{*std::ranges::max_element(hosts)} + 1;
  }
  bool is_inside(std::int32_t from, std::int32_t to) const { return host_of(from) == host_of(to); }
  const communication::MessageCosts& costs(std::int32_t from, std::int32_t to) const {
    return inside_hosts != nullptr && is_inside(from, to) ? *inside_hosts : *between_hosts;
  }
  /// For how long a message takes the ways.
  double port_s(std::int32_t from, std::int32_t to, double bytes) const {
    return is_inside(from, to) ? 0 : between_hosts->port_s(bytes);
  }
};

}  // namespace loadshare::timing_graph
