#pragma once

#include <string>
#include <vector>

#include "apps/loadshare/calls_check.hpp"
#include "models/messages/calibration.hpp"
#include "models/messages/message_costs.hpp"

namespace loadshare::tool {

/// `loadshare calibration check`.
struct CheckRequest {
  std::string fitted;    ///< the calibration whose fit predicts
  std::string measured;  ///< one of other launches, and sizes
  std::string fit = "segmented";
  Index least_bytes = 64;
  Index most_bytes = 4 << 20;
  std::string json;  ///< a file, - for stdout, empty: not asked for
};

/// One size's median as it was measured, and as the other calibration's fit says it.
struct CheckedTime {
  communication::SendMode mode = communication::SendMode::standard;
  communication::ReceivePosted posted = communication::ReceivePosted::before;
  communication::Side side = communication::Side::sender;
  Index bytes = 0;
  double measured_s = 0;
  double predicted_s = 0;

  double error() const { return predicted_s / measured_s - 1; }
};

/// Of one pair of ranks, every size within the range that `measured` has. Sizes of the fit itself are passed
/// over: to meet them is no merit. Throws UsageError where nothing is left.
std::vector<CheckedTime> checked_times(const calibration::Calibration& fitted,
                                       const calibration::Calibration& measured, const CheckRequest& request);

/// For people: a line for each mode, side and time of the receive, and for each collective call, with the
/// errors' median, ninth decile and worst.
std::string check_text(const std::vector<CheckedTime>& times, const std::vector<CheckedCall>& calls);

/// What may make another calibration's times differ: other hosts, other ways in some launch; and what
/// was measured but not fitted, and so is not checked.
std::vector<std::string> check_notes(const calibration::Calibration& fitted,
                                     const calibration::Calibration& measured);

/// Prints how well the fit of one calibration predicts another. Throws UsageError.
void check_calibration(const CheckRequest& request);

}  // namespace loadshare::tool
