#pragma once

#include <string>

#include "apps/loadshare/metrics/study.hpp"

namespace loadshare::tool {

/// How to read the first place in the code that the table of a point's losses names by its address
/// (`floyd+0x282fe`): the command that says its function and line. Empty where there is none.
std::string code_place_note(const Point& point);

}  // namespace loadshare::tool
