#pragma once

#include <string>
#include <vector>

#include "apps/loadshare/survey/host_survey.hpp"

namespace loadshare::tool {

/// What whoever reads a survey has to know beside its numbers: ranks that share processors or a limit, and
/// figures that rest on little.
std::vector<std::string> remarks_on(const HostSurvey& survey);

}  // namespace loadshare::tool
