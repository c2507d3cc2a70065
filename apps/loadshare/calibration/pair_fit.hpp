#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apps/loadshare/communication_model/fitted_model.hpp"
#include "models/calibration/calibration.hpp"
#include "models/communication/message_model.hpp"

namespace loadshare::tool {

/// What a fit makes of one pair's messages, of all launches: what a timing graph is evaluated with. Throws
/// UsageError where they are too few for it.
communication::MessageModel message_model(const calibration::Calibration& calibration,
                                          const calibration::Pair& pair, const std::string& fit);

/// Its curves, a group for each mode, side and time of the receive, for people; or why there are none.
struct PairFit {
  calibration::Pair pair;
  std::optional<FittedModel> model;
  std::string why_not;
};

/// Of every pair, in order. Takes seconds for a calibration of several launches.
std::vector<PairFit> fit_pairs(const calibration::Calibration& calibration, const std::string& fit);

}  // namespace loadshare::tool
