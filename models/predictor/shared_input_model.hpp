#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "models/communication/message_costs.hpp"
#include "models/predictor/scenario.hpp"
#include "runtime/timing/records.hpp"

namespace loadshare::predictor {

/// The shared input of a loop on its way from the master to so many other hosts by those links, cut as
/// SharedUnits cuts it; `begins_at`: see SharedArrival.
SharedInputModel shared_input_of(const LoopRecord& data, double begins_at, std::size_t other_hosts,
                                 std::span<const std::shared_ptr<const communication::MessageCosts>> links);

}  // namespace loadshare::predictor
