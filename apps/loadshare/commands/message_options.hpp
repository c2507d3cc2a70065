#pragma once

#include "apps/loadshare/graph/message_costs.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace loadshare::tool {

/// What farms' messages cost: --costs, or --calibration and --fit. Returns the first, which tells whether it
/// was given.
CLI::Option* describe_messages(CLI::App& app, CostsRequest& costs);

}  // namespace loadshare::tool
