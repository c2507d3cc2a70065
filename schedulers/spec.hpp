#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "schedulers/types.hpp"

namespace loadshare {

/// How a fractional size becomes whole.
enum class Rounding { down, up };

/// Something as it was asked for, parameters by name: `gss:14,min=2` is {gss, {divisor: 14, min: 2}}.
struct Spec {
  std::string name;
  std::map<std::string, std::string, std::less<>> values;
  std::string kind = "scheduler";  ///< what it is, as errors call it

  /// Was this parameter given a value?
  bool has(std::string_view parameter) const { return values.find(parameter) != values.end(); }
  /// The value of a whole-number parameter >= `least`, or nothing where it was not given; throws UsageError.
  std::optional<Index> whole(std::string_view parameter, Index least = 1) const;
  /// The value of `round`, or `fallback`; throws UsageError on anything but `down` and `up`.
  Rounding rounding(Rounding fallback) const;
  /// Throws UsageError when both whole-number parameters were given and `low` is more than `high`. A default
  /// is never at fault: it gives way to the value that was given.
  void require_ordered(std::string_view low, std::string_view high) const;
  /// The canonical text with every given parameter by name: `gss:divisor=14,min=2`.
  std::string text() const;
  /// What an error says of a value: `scheduler gss: divisor is '0'`.
  std::string said(std::string_view parameter, std::string_view value) const;
};

using SchedulerSpec = Spec;

}  // namespace loadshare
