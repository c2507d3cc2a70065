#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/types.hpp"
#include "schedulers/spec.hpp"

namespace loadshare::synthetic {

/// What a loop's iterations cost, in seconds of a reference processor (or of sleep). A pure function of the
/// iteration, so that every worker knows the cost of any one without a list, in whatever order it is asked.
class Cost {
 public:
  virtual ~Cost() = default;

  /// The cost of one iteration in seconds, at least 0. Thread-safe.
  virtual double seconds(Index iteration) const = 0;
};

/// The cost that a pure, thread-safe function says.
std::unique_ptr<Cost> cost_by(std::function<double(Index iteration)> seconds);

/// What costs depend on besides their spec: the loop, and what the master found where the spec points to.
struct CostContext {
  Index iterations = 0;
  std::uint64_t seed = 1;
  std::string data;  ///< of CostEntry::fetch
};

/// No iteration costs more: 30 years.
inline constexpr double longest_cost_s = 1e9;

/// The value of a duration as `200us`, `1.5ms` or `2s`, in seconds, or `fallback_s` where it was not given;
/// throws UsageError on anything else, and beyond `longest_cost_s`.
double duration_s(const Spec& spec, std::string_view parameter, double fallback_s);

/// Two costs, the second not less than the first.
struct CostRange {
  double low_s = 0;
  double high_s = 0;
};

/// The values of `low` and `high`; throws UsageError where low is more than high, by default or not.
CostRange cost_range(const Spec& spec, CostRange fallback);

}  // namespace loadshare::synthetic
