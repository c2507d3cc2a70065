#pragma once

#include <span>
#include <vector>

#include "models/program/scaling/law.hpp"

namespace loadshare::scaling {

/// What two values of a parameter may tell of how a quantity depends on it.
enum class TwoValues {
  enough,  ///< of counts and bytes, which are exact: a law that meets all of them is no chance
  /// Of times: n^2, n and n^1.5 each meet two values as well as the others, by whatever disturbed a run. So a
  /// time is linear in the program's own size, divided among ranks or not, and Law::Fit::assumed says it.
  too_few
};

/// The terms that a law may consist of, the simplest first: products of one power or logarithm of each
/// parameter that differs among `settings`. The number of ranks `p` may stand below the line, for work that
/// is divided, the others not. Without the constant.
std::vector<Term> term_pool(std::span<const Setting> settings, TwoValues two_values = TwoValues::enough);

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
Law fit_law(std::span<const Observation> observations, TwoValues two_values = TwoValues::enough);

}  // namespace loadshare::scaling
