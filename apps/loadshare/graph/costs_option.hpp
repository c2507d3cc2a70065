#pragma once

#include <string>

#include "models/communication/linear_costs.hpp"

namespace loadshare::tool {

/// `latency=50us,bandwidth=12.5MB/s,eager=64KiB`; what is left out has its default. Throws UsageError.
communication::LinearCosts::Parameters parse_costs(const std::string& text);

}  // namespace loadshare::tool
