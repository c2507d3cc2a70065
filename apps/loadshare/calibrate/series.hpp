#pragma once

#include <span>
#include <vector>

#include "apps/loadshare/calibrate/sizes.hpp"
#include "apps/loadshare/calibrate/survey_options.hpp"
#include "models/calibration/calibration.hpp"

namespace loadshare::tool {

/// Messages of one kind and size while they are being measured. Those of one visit are like each other, as
/// moments are, so how well the median is known is judged by the medians of the visits.
class Series final {
 public:
  /// Not empty.
  void add(std::span<const calibration::MessageTiming> visit);

  /// Whether more would tell little.
  bool is_enough(const SurveyOptions& options) const;
  /// At least one visit was there.
  SizePoint point(Index bytes) const;
  const std::vector<calibration::MessageTiming>& messages() const { return messages_; }

 private:
  std::vector<calibration::MessageTiming> messages_;
  std::vector<double> sender_medians_s_;  // by visit
  std::vector<double> receiver_medians_s_;
};

}  // namespace loadshare::tool
