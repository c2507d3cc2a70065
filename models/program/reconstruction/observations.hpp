#pragma once

#include <span>
#include <string>
#include <vector>

#include "models/program/reconstruction/roles.hpp"
#include "models/program/scaling/fit_law.hpp"
#include "models/program/scaling/law.hpp"
#include "models/program/scaling/variance_function.hpp"

namespace loadshare::reconstruction {

/// A time or a size as one rank of one run had it in one round.
struct Observed {
  const ProfiledRun* run = nullptr;
  std::int32_t rank = 0;
  double value = 0;
};

/// What observations of one part of a program come to.
struct Measure {
  scaling::Law law;
  scaling::VarianceFunction singles;  ///< of single ones about their rank's mean
  scaling::VarianceFunction ranks;    ///< of the ranks' means about the mean of their run
  double share = 0;                   ///< of the makespan: the most that a rank had in all rounds
  bool is_held_constant = false;
};

/// The law of seconds. Where they never come to a five-thousandth of a run, and no law is clear to a tenth,
/// they tell nothing of how they grow: the largest mean is held constant for all settings.
Measure measure_seconds(std::span<const Observed> all,
                        scaling::LeastValues least = scaling::LeastValues::five);

/// The standard deviation of the logarithms of log-normal values of that mean and variance; at most 1.
double deviation_at(const scaling::VarianceFunction& variance, double mean);

/// The law of bytes.
scaling::Law law_of_bytes(std::span<const Observed> all);

}  // namespace loadshare::reconstruction
