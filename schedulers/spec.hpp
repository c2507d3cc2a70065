#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "schedulers/types.hpp"

namespace loadshare {

/// How a fractional size becomes whole.
enum class Rounding { down, up };

/// A scheduler as it was asked for, parameters by name: `gss:14,min=2` is {gss, {divisor: 14, min: 2}}.
struct SchedulerSpec {
  std::string name;
  std::map<std::string, std::string, std::less<>> values;

  /// The value of a whole-number parameter >= `least`, or nothing where it was not given; throws UsageError.
  std::optional<Index> whole(std::string_view parameter, Index least = 1) const;
  /// The value of `round`, or `fallback`; throws UsageError on anything but `down` and `up`.
  Rounding rounding(Rounding fallback) const;
  /// The canonical text with every given parameter by name: `gss:divisor=14,min=2`.
  std::string text() const;
};

}  // namespace loadshare
