#pragma once

#include <span>

#include "models/granularity/figures.hpp"

namespace loadshare::granularity {

/// What several runs of one setting say together: of each figure its median, least and most, and of two
/// efficiencies the difference of their medians. A figure that not all of them tell has none: its median
/// would be of other runs than those beside it.
struct Spread {
  Figures median;
  Figures least;
  Figures most;
};

/// Throws UsageError where there are no runs.
Spread spread_of(std::span<const Figures> runs);

/// The median; the mean of the two middle ones of an even number. Throws UsageError where there are none.
double median_of(std::vector<double> values);

/// The value below which that share of the others lies, 0 the least and 1 the most; between two values it is
/// interpolated (Hyndman and Fan, Sample Quantiles in Statistical Packages, definition 7). Throws as
/// median_of does.
double quantile_of(std::vector<double> values, double share);

}  // namespace loadshare::granularity
