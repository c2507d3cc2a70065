#pragma once

#include <string>

#include "apps/loadshare/communication_model/fitted_model.hpp"

namespace loadshare::tool {

/// What a person reads of a fit: for each group its range, a table of its segments, and what is to be known
/// of them.
std::string model_text(const FittedModel& model);

}  // namespace loadshare::tool
