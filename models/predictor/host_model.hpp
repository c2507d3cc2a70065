#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/predictor/bandwidth_limit.hpp"

namespace loadshare::predictor {

/// A host as one rank on it finds it.
struct HostModel {
  std::string name;
  /// How fast its processor is when the rank has all of it: 1 where an iteration takes as long as in the runs
  /// that tell its cost, in the mean of their hosts.
  double speed = 1;
  bool is_speed_absolute = false;  ///< it is in a unit of its own, and tells only how hosts compare
  std::optional<Grant> grant;      ///< what a control group grants; nothing: all of a processor
  double available = 1;            ///< what other programs leave of that, in (0, 1]
  double link_bytes_per_s = 0;     ///< of its way to the network; 0: not known
  double link_burst_bytes = 0;     ///< that its link sends at once after a silence
  std::optional<int> load_rank;    ///< whose load it has; nothing: that of its place in the list
};

}  // namespace loadshare::predictor
