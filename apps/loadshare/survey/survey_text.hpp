#pragma once

#include <string>

#include "apps/loadshare/survey/host_survey.hpp"

namespace loadshare::tool {

/// A survey for people: a line a rank, and notes.
std::string survey_text(const HostSurvey& survey);

}  // namespace loadshare::tool
