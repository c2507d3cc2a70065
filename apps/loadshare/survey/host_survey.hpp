#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "models/predictor/bandwidth_limit.hpp"
#include "schedulers/types.hpp"

namespace loadshare::tool {

/// What a processor computes in a second of processor time, by many short pieces of work.
struct MeasuredSpeed {
  double median_gflops = 0;
  double low_gflops = 0;   ///< the 5th percentile
  double high_gflops = 0;  ///< the 95th
  Index pieces = 0;
};

/// A rank's host as the rank found it.
struct SurveyedRank {
  int rank = 0;
  std::string host;
  std::vector<int> cpus;  ///< where it may run
  std::string system;     ///< the kernel
  MeasuredSpeed speed;
  /// What its control group grants this rank, its equal part where several ranks of a host live by one quota;
  /// nothing: a whole processor.
  std::optional<predictor::Grant> grant;
  double busy = 0;       ///< processor time it had / time, while it had always something to do
  double available = 1;  ///< of what is granted: what other programs left, in (0, 1]
};

/// What `loadshare survey` found: of each rank its host, all measured at the same time.
struct HostSurvey {
  static constexpr int schema = 1;

  std::string begun;                            ///< "2026-01-31T12:00:00Z"
  double seconds = 0;                           ///< for which each rank was busy
  std::map<std::string, std::string> versions;  ///< of loadshare and, under mpirun, MPI
  std::vector<SurveyedRank> ranks;              ///< by rank
  std::vector<std::string> notes;
};

}  // namespace loadshare::tool
