#pragma once

#include <string_view>

#include "schedulers/spec.hpp"

namespace loadshare::synthetic {

/// The value of a duration as `200us`, `1.5ms` or `2s`, in seconds, or `fallback_s` where it was not given;
/// throws UsageError on anything else, and beyond `longest_cost_s`.
double duration_s(const Spec& spec, std::string_view parameter, double fallback_s);

/// The value of a plain number in [0, most], or `fallback`; throws UsageError.
double ratio(const Spec& spec, std::string_view parameter, double fallback, double most);

/// Two costs, the second not less than the first.
struct CostRange {
  double low_s = 0;
  double high_s = 0;
};

/// The values of `low` and `high`; throws UsageError where low is more than high, by default or not.
CostRange cost_range(const Spec& spec, CostRange fallback);

}  // namespace loadshare::synthetic
