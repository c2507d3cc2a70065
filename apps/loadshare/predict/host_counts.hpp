#pragma once

#include <string>
#include <vector>

#include "apps/loadshare/predict/question.hpp"
#include "schedulers/table.hpp"

namespace loadshare::tool {

/// What the first so many ranks of a list would make of a loop.
struct HostCount {
  std::size_t hosts = 0;  ///< one rank each
  std::string scheduler;  ///< the best technique for them
  double makespan_s = 0;
  double gain = 0;  ///< what of the makespan each further host saved since the row before; 0 in the first
};

/// For some numbers of hosts from the fewest that can run the loop to all: every one where these are few. The
/// master's host is always among them, and each has the load of its place in the list. `schedulers`: specs,
/// none: those worth trying; medians of so many replicates.
std::vector<HostCount> predict_host_counts(const Question& question, const SchedulerTable& table,
                                           const std::vector<std::string>& schedulers,
                                           std::size_t replicates);

/// The fewest hosts whose makespan is within 5 % of the best of all rows.
const HostCount& enough_hosts(const std::vector<HostCount>& counts);

}  // namespace loadshare::tool
