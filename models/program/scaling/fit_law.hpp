#pragma once

#include <span>
#include <vector>

#include "models/program/scaling/law.hpp"

namespace loadshare::scaling {

/// From how many values of a parameter on a law chooses how a quantity depends on it. With fewer it is linear
/// in it or without it, or, of the ranks, divided by them, whichever fits; and Law::Fit::assumed says so.
enum class LeastValues {
  /// Of counts and bytes, which are exact: a law that meets all of them is no chance.
  two = 2,
  /// Of times, if somebody asks for it. n^2, n and n^1.5 each meet two values as well as the others, by
  /// whatever disturbed a run; of three they may still.
  three = 3,
  /// Of times, as Extra-P asks for them (Calotoiu, Hoefler, Poke, Wolf, SC'13).
  five = 5
};

/// The terms that a law may consist of, the simplest first: products of one power or logarithm of each
/// parameter that differs among `settings`. The number of ranks `p` may stand below the line, for work that
/// is divided, the others not. Without the constant.
std::vector<Term> term_pool(std::span<const Setting> settings, LeastValues least = LeastValues::two);

/// What was seen of a quantity in one setting.
struct Observation {
  Setting setting;
  double value = 0;  ///< at least 0
};

/// Fits a law of few terms to what was observed.
///
/// A law is a constant and up to two terms of the pool (term_pool), by least squares of relative errors, with
/// coefficients of at least 0. Which terms is decided by cross-validation: each setting in turn is predicted
/// from the others, and complexity has its price. So many
/// terms are only tried as leave two settings over. (Performance models of few terms chosen by
/// cross-validation: Calotoiu, Hoefler, Poke, Wolf, SC'13.)
///
/// Observations of one setting are averaged. Where all are equal the law is that number, and exact unless
/// there is but one setting. A law that meets every setting to 1e-9 is exact as well, any other has an error
/// of at least a hundredth. Throws UsageError where there are none, one is negative or not finite, or
/// settings have different parameters.
///
/// Other terms might have been chosen if runs had been disturbed otherwise. So of a law that is not exact the
/// choice is made again among all candidates that predict well, however complex, for as many resamples as
/// there are, what was seen disturbed by a normal error as large as the law's own (as Efron smooths a choice,
/// "Estimation and accuracy after model selection", JASA 109, 2014): the laws chosen are Law::Fit::others.
Law fit_law(std::span<const Observation> observations, LeastValues least = LeastValues::two);

}  // namespace loadshare::scaling
