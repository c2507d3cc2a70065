#pragma once

#include <string>
#include <vector>

#include "models/farm/comparison.hpp"

namespace loadshare::tool {

/// Everything that is told of a comparison.
struct Comparison {
  std::string program;
  bool is_at_run_speed = false;       ///< what an iteration costs was scaled to each run's own chunks
  std::vector<std::string> networks;  ///< what messages cost, of each list of hosts, in words
  std::vector<predictor::ComparedSetting> settings;
  predictor::ErrorFigures etas;
  std::string disturbance;   ///< reported first; empty: none
  double waiting_share = 0;  ///< of an iteration's cost, the highest of all settings; reported first, too
  std::vector<std::string> notes;
};

/// What a person reads, in lines of at most 100 characters; ends with a line end.
std::string comparison_text(const Comparison& comparison);

/// As JSON, all of it, with a line end.
std::string comparison_json(const Comparison& comparison);

}  // namespace loadshare::tool
