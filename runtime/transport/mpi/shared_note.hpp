#pragma once

#include <cstdint>

#include "runtime/transport/lane.hpp"

namespace loadshare::mpi {

/// What the leader of a host tells the master of the shared input.
struct RelayNote {
  std::uint32_t passed_on = 0;  ///< units since the last note: so many more it can be given
  std::uint16_t has_all = 0;    ///< this host's copy is complete
  std::uint16_t is_last = 0;    ///< nothing is under way any more, no further note comes
};

/// What the master's last order tells a leader besides.
struct SharedEnd {
  std::uint32_t units_sent = 0;  ///< to this leader
  bool is_everywhere = true;     ///< every host has its copy, so that there is nothing to be sorted out

  Order order() const {
    Order order;
    order.kind = Order::Kind::stop;
    order.chunk = {is_everywhere ? 1 : 0, static_cast<Index>(units_sent)};
    return order;
  }
  static SharedEnd from(const Order& order) {
    return {static_cast<std::uint32_t>(order.chunk.size), order.chunk.first != 0};
  }
};

}  // namespace loadshare::mpi
