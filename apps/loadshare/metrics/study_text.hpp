#pragma once

#include <string>

#include "apps/loadshare/metrics/study.hpp"

namespace loadshare::tool {

/// What `loadshare metrics` prints, in ASCII lines of at most 100 characters.
std::string study_text(const Study& study, const StudyRequest& request);

}  // namespace loadshare::tool
