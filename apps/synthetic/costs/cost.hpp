#pragma once

#include <cstdint>
#include <string>

#include "schedulers/types.hpp"

namespace loadshare::synthetic {

/// What a loop's iterations cost, in seconds of a reference processor (or of sleep). A pure function of the
/// iteration, so that every worker knows the cost of any one without a list, in whatever order it is asked.
class Cost {
 public:
  virtual ~Cost() = default;

  /// The cost of one iteration in seconds, at least 0. Thread-safe.
  virtual double seconds(Index iteration) const = 0;
};

/// What costs depend on besides their spec: the loop, and what the master found where the spec points to.
struct CostContext {
  Index iterations = 0;
  std::uint64_t seed = 1;
  std::string data;  ///< of CostEntry::fetch
};

/// No iteration costs more: 30 years.
inline constexpr double longest_cost_s = 1e9;

}  // namespace loadshare::synthetic
