#pragma once

#include <span>
#include <string>

#include "models/communication/curve.hpp"

namespace loadshare::communication {

/// A way from samples to a curve.
struct FitInfo {
  const char* name;
  const char* description;
  /// Of samples that require_fittable() takes.
  Curve (*fit)(std::span<const Sample> samples);
};

/// The ways there are, the usual one first.
std::span<const FitInfo> fits();

/// The way of that name; throws UsageError, with the nearest name, where there is none.
const FitInfo& find_fit(const std::string& name);

/// Samples a line takes at least: two lie on any, and tell nothing of how far it is off.
inline constexpr std::size_t fewest_samples = 3;

/// Throws UsageError on a negative size, and on a time that is not more than 0.
void require_positive(std::span<const Sample> samples);

/// Throws UsageError where no line can be laid through the samples: they are too few, are all of one size, or
/// hold a negative size or a time that is not more than 0.
void require_fittable(std::span<const Sample> samples);

/// The curve that the fit of this name lays through the samples; throws UsageError, as the two above do.
Curve fit_curve(const std::string& name, std::span<const Sample> samples);

}  // namespace loadshare::communication
