#pragma once

#include <optional>
#include <span>
#include <vector>

#include "models/granularity/times.hpp"

namespace loadshare::granularity {

/// Where the ranks' speeds S_i come from.
enum class SpeedSource {
  given,
  quota,    ///< what the hosts' control groups leave each rank of a processor
  measured  ///< in the run itself, which cannot say how unequal the processors are: see measured_speeds()
};

/// "given", "quota" or "measured".
const char* name_of(SpeedSource source);

/// Whether the fastest is more than 5 % faster than the slowest: such processors are compared by E_H.
bool are_unequal(std::span<const double> speeds);

/// What the hosts grant the ranks, in their order.
std::vector<double> quota_speeds(const RunTimes& run);

/// The ranks' speeds as the run itself tells: work / T_comp. They are right where a unit of work costs the
/// same everywhere. Nothing where a rank's work is not known or it computed nothing.
///
/// By them E_H is sum of work / (T_p sum of S_i): the same as the classical E_H up to how fast the sequential
/// run computed, whatever the run. So they are for reading, and compare nothing.
std::optional<std::vector<double>> measured_speeds(const RunTimes& run);

/// The ranks, by their numbers, of which no speed can be measured.
std::vector<int> ranks_without_speed(const RunTimes& run);

}  // namespace loadshare::granularity
