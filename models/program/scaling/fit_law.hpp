#pragma once

#include <span>

#include "models/program/scaling/law.hpp"
#include "models/program/scaling/term_pool.hpp"

namespace loadshare::scaling {

/// What a run told of a quantity in one setting.
struct Observation {
  Setting setting;
  double value = 0;           ///< at least 0
  double standard_error = 0;  ///< of the value, by what varies within the run
};

/// Fits a law of few terms to what was observed.
///
/// A law is a constant and up to two terms of the pool (term_pool), by least squares of relative errors, with
/// coefficients of at least 0. Which terms is decided by cross-validation: each setting in turn is predicted
/// from the others (Calotoiu, Hoefler, Poke, Wolf, SC'13), and complexity has its price, as Akaike's
/// criterion counts it.
///
/// Observations of one setting are averaged. Each setting counts by how exactly it is known: as the inverse
/// of the variance of what makes any law wrong and of what its mean is uncertain by, since runs differ and
/// vary within. One where nothing was seen, 0, decides only between laws that predict the others alike. Where
/// all are equal the law is that number, and exact unless there is but one setting. A law that meets every
/// setting to 1e-9 is exact as well, any other has an error of at least a hundredth. Throws UsageError where
/// there are none, one is negative or not finite, or settings have different parameters.
///
/// Other terms might have been chosen if runs had been disturbed otherwise. So of a law that is not exact the
/// choice is made again sixty times among all candidates that predict well, however complex, what was seen
/// disturbed by a normal error as large as the law's own (as Efron smooths a choice, "Estimation and accuracy
/// after model selection", JASA 109, 2014): the laws chosen are Law::Fit::others.
Law fit_law(std::span<const Observation> observations, LeastValues least = LeastValues::two);

}  // namespace loadshare::scaling
