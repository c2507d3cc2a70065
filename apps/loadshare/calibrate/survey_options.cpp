#include "apps/loadshare/calibrate/survey_options.hpp"

namespace loadshare::tool {

using communication::ReceivePosted;
using communication::SendMode;

std::vector<MessageKind> kinds_of(const SurveyOptions& options) {
  std::vector<MessageKind> kinds;
  for (const SendMode mode : options.modes)
    for (const ReceivePosted posted : {ReceivePosted::before, ReceivePosted::after})
      if (mode != SendMode::ready || posted == ReceivePosted::before) kinds.push_back({mode, posted});
  return kinds;
}

}  // namespace loadshare::tool
