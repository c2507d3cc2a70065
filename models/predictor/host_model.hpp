#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/predictor/bandwidth_limit.hpp"

namespace loadshare::predictor {

/// A host as one rank on it finds it.
struct HostModel {
  std::string name;
  /// How fast its processor is when the rank has all of it, in any unit that all hosts of a list share.
  double speed = 1;
  std::optional<Grant> grant;   ///< what a control group grants; nothing: all of a processor
  double available = 1;         ///< what other programs leave of that, in (0, 1]
  double link_bytes_per_s = 0;  ///< of its way to the network; 0: not known
};

}  // namespace loadshare::predictor
