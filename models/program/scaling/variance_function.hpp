#pragma once

#include <span>

namespace loadshare::scaling {

/// How the variance of single values of a quantity follows from their mean: a part of it is constant, one
/// grows with the mean and one with its square. What stops a processor lasts as long whatever it stops, so a
/// step of a millisecond may take several times its mean where one of a second varies by a hundredth.
struct VarianceFunction {
  double constant = 0;
  double of_mean = 0;
  double of_square = 0;

  /// The variance over the square of the mean, which is above 0.
  double relative_at(double mean) const;

  VarianceFunction scaled(double factor) const {
    return {factor * constant, factor * of_mean, factor * of_square};
  }
};

/// How values varied about one mean.
struct VarianceSample {
  double mean = 0;      ///< above 0
  double variance = 0;  ///< at least 0
  double freedom = 1;   ///< degrees of freedom that the variance is known by
  double known = 0;     ///< of the variance, the part that is not the function's
};

/// The function that makes the variances most likely, as those of normal values are: they follow a gamma
/// distribution, so each counts by what it is expected to be (McCullagh and Nelder, "Generalized Linear
/// Models", 1989, chapter 8, by iterated least squares; no part is negative). The standard deviation is a
/// share of the mean unless the other parts make the samples likelier than chance does, by Akaike's
/// criterion. Without samples there is no variance.
VarianceFunction fit_variance(std::span<const VarianceSample> samples);

}  // namespace loadshare::scaling
