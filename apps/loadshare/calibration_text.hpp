#pragma once

#include <string>

#include "apps/loadshare/output.hpp"
#include "models/messages/calibration.hpp"

namespace loadshare::tool {

/// What a person reads of a calibration: hosts, versions, pairs with times at some sizes, rates of chunks.
std::string calibration_text(const calibration::Calibration& calibration);

/// `loadshare calibration show`.
struct ShowRequest {
  std::string file;
  std::string fit = "segmented";  ///< as communication::fits() has them
  FigureFiles outputs;
};

/// Reads the calibration and shows it. Throws UsageError where it cannot be read, or an output could not be
/// written. With a plot it does not come back: this process goes on as the program that draws.
void show_calibration(const ShowRequest& request);

}  // namespace loadshare::tool
