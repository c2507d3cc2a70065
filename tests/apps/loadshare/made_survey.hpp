#pragma once

#include "apps/loadshare/host_survey.hpp"

namespace loadshare::tool {

/// Two ranks, one of them under a limit.
inline HostSurvey made_survey() {
  HostSurvey survey;
  survey.begun = "2026-01-31T12:00:00Z";
  survey.seconds = 0.5;
  survey.versions = {{"loadshare", "0.1.0"}, {"mpi", "Open MPI v4.1.4"}};
  survey.ranks.push_back(
      {0, "slow", {0, 1}, "Linux 6.1.0", {4.5, 4, 5, 500}, {{0.1, 0.01, 0.004}}, 0.05, 0.5});
  survey.ranks.push_back({1, "fast", {2}, "Linux 6.1.0", {9, 8, 10, 5000}, {}, 0.9, 0.9});
  return survey;
}

}  // namespace loadshare::tool
