#pragma once

#include <string>

#include "apps/loadshare/metrics/study.hpp"

namespace loadshare::tool {

/// What a person reads of which problem keeps the wanted efficiency on how many processors. Ends with an
/// empty line.
std::string isoefficiency_text(const Study& study, double kept_efficiency);

}  // namespace loadshare::tool
