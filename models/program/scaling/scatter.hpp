#pragma once

#include <span>

namespace loadshare::scaling {

/// How single values of a quantity scatter about their mean: their variance has a part that is constant, one
/// that grows with the mean and one with its square. What stops a processor lasts as long whatever it stops,
/// so a step of a millisecond may take several times its mean where one of a second varies by a hundredth.
struct Scatter {
  double constant = 0;
  double of_mean = 0;
  double of_square = 0;

  /// The variance over the square of the mean, which is above 0.
  double relative_variance_at(double mean) const;
};

/// How values scattered about one mean.
struct SpreadSample {
  double mean = 0;      ///< above 0
  double variance = 0;  ///< at least 0
  double freedom = 1;   ///< degrees of freedom that the variance is known by
};

/// The scatter that makes the variances most likely, as those of normal values are: they follow a gamma
/// distribution, so each counts by what it is expected to be (McCullagh and Nelder, "Generalized Linear
/// Models", 1989, chapter 8, by iterated least squares; no part is negative). By one mean alone it is the
/// same share of all. Without samples there is none.
Scatter fit_scatter(std::span<const SpreadSample> samples);

}  // namespace loadshare::scaling
