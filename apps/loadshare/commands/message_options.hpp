#pragma once

#include "apps/loadshare/graph/costs.hpp"

namespace CLI {
class App;
}

namespace loadshare::tool {

/// What farms' messages cost: --costs, or --calibration and --fit. `has_costs` becomes true where the first
/// was given.
void describe_messages(CLI::App& app, CostsRequest& costs, bool& has_costs);

}  // namespace loadshare::tool
