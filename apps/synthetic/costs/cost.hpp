#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/types.hpp"
#include "schedulers/spec.hpp"

namespace loadshare::synthetic {

/// The costs of a loop's iterations, in seconds of a reference processor (or of sleep). A pure function of
/// the iteration, so that every worker can compute any of them without a list.
class Cost {
 public:
  virtual ~Cost() = default;

  /// Returns the cost of one iteration in seconds, at least 0. Thread-safe.
  virtual double seconds(Index iteration) const = 0;
};

/// Returns the costs computed by a pure, thread-safe function.
std::unique_ptr<Cost> cost_by(std::function<double(Index iteration)> seconds);

/// The inputs of costs in addition to their spec: the loop, and the data that the master has read.
struct CostContext {
  Index iterations = 0;
  std::uint64_t seed = 1;
  std::string data;  ///< result of CostEntry::fetch
};

/// The maximum cost of an iteration: 30 years.
inline constexpr double longest_cost_s = 1e9;

/// Returns the value of a duration such as `200us`, `1.5ms` or `2s` in seconds, or `fallback_s` if it was not
/// given. Throws UsageError for any other text, and above `longest_cost_s`.
double duration_s(const Spec& spec, std::string_view parameter, double fallback_s);

/// Two costs; the second is not less than the first.
struct CostRange {
  double low_s = 0;
  double high_s = 0;
};

/// Returns the values of `low` and `high`. Throws UsageError if low exceeds high, even by default.
CostRange cost_range(const Spec& spec, CostRange fallback);

}  // namespace loadshare::synthetic
