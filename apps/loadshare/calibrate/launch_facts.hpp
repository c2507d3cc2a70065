#pragma once

#include <string>

#include "models/calibration/calibration.hpp"
#include "runtime/transport/transport.hpp"

namespace loadshare::tool {

/// Where this launch's ranks are and with what they run, on the master; elsewhere an empty one. Collective.
calibration::Launch describe_launch(Transport& transport);

/// "Linux 6.1.0-18-amd64".
std::string kernel_release();

}  // namespace loadshare::tool
