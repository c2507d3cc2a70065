#pragma once

#include <span>
#include <string>
#include <vector>

#include "apps/loadshare/calibrate/survey_options.hpp"
#include "models/calibration/calibration.hpp"

namespace loadshare::tool {

/// What a pair's survey did not keep.
struct LeftOut {
  Index most_bytes = 0;  ///< the largest messages there was time for
  Index visits = 0;      ///< in which one of the two lost its processor
  Index messages = 0;    ///< whose receive was posted before they began, and should have been after
};

/// What a person should know who uses the pair's samples, a sentence each; none where all is as asked.
std::vector<std::string> survey_notes(std::span<const calibration::MessageSeries> measured,
                                      const SurveyOptions& options, const LeftOut& left_out);

}  // namespace loadshare::tool
