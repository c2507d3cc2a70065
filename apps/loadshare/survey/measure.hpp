#pragma once

#include <atomic>
#include <vector>

#include "apps/loadshare/survey/host_survey.hpp"

namespace loadshare::tool {

/// When this rank computes, on its host's clock (monotonic_s).
struct SurveyWindow {
  double begin_s = 0;
  double seconds = 1;
};

/// Sleeps until the window begins, so that its control group owes nothing by then, and computes until it
/// ends, or until `is_interrupted`; `rank` then has the speed, the busy share and what is available of its
/// grant. Throws Error (run_failed) where the processor computes wrongly.
void measure(const SurveyWindow& window, const std::atomic<bool>& is_interrupted, SurveyedRank& rank);

/// This process's host, processors and kernel, and what the control group grants it as one of so many ranks
/// of its host.
SurveyedRank describe_rank(int rank, int local_ranks);

}  // namespace loadshare::tool
