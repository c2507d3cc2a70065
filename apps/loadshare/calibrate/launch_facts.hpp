#pragma once

#include "models/calibration/calibration.hpp"
#include "runtime/transport/transport.hpp"

namespace loadshare::tool {

/// Where this launch's ranks are and with what they run, on the master; elsewhere an empty one. Collective.
calibration::Launch describe_launch(Transport& transport);

}  // namespace loadshare::tool
