#pragma once

#include <vector>

#include "models/communication/send_mode.hpp"
#include "schedulers/types.hpp"

namespace loadshare::tool {

/// What is measured between two ranks, and for how long.
struct SurveyOptions {
  Index min_bytes = 0;
  Index max_bytes = Index{4} << 20;
  std::vector<communication::SendMode> modes{communication::send_modes.begin(),
                                             communication::send_modes.end()};
  Index seed = 1;          ///< of sizes and order
  double budget_s = 40;    ///< after which a pair is left as it is
  Index repetitions = 30;  ///< at least so many of each kind and size, where the budget allows
  Index most_repetitions = 400;
  double within = 0.02;  ///< the medians' intervals reach no further, as a share of them
};

}  // namespace loadshare::tool
