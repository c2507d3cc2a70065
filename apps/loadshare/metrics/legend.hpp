#pragma once

#include <string>

namespace loadshare::tool {

/// One sentence on each column of the scaling tables.
std::string scaling_legend();

}  // namespace loadshare::tool
