#pragma once

#include <optional>
#include <string>
#include <vector>

namespace loadshare::granularity {

/// Where one rank's time went in one run, in seconds of wall-clock time. The four parts add up to the run
/// time where the account closes.
struct RankTimes {
  int rank = 0;
  std::string host;
  double capacity = 1;  ///< of a processor, what a quota leaves this rank: in (0, 1]
  double computing_s =
      0;  ///< at the full speed this host grants the rank; a quota makes a host slow, not stolen
  double communicating_s = 0;  ///< moving data; waiting too, where the run does not tell it apart
  double idle_s = 0;           ///< waiting for others, or nothing to do
  double stolen_s = 0;         ///< wanted to compute, and another program had the processor
  std::optional<double>
      work;  ///< done by this rank, in units of one's own (iterations): speed = work / computing
};

/// Where the time of all ranks of one run went: what every figure of this model comes from.
struct RunTimes {
  std::string program;
  double run_s = 0;  ///< T_p: from the first rank's begin to the last one's end
  std::vector<RankTimes> ranks;
  bool tells_idle = true;          ///< else idle_s is 0 throughout and communicating_s holds both
  std::vector<std::string> notes;  ///< what makes the figures partial, for people; empty where nothing does
};

}  // namespace loadshare::granularity
