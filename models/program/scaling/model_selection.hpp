#pragma once

#include <Eigen/Dense>
#include <limits>
#include <vector>

#include "models/program/scaling/law.hpp"

namespace loadshare::scaling {

/// The best of some hundred choices predicts few settings better than it predicts others, and runs differ
/// by this much from one launch to the next.
inline constexpr double least_error = 0.01;

/// The terms that a law may have, in the settings that were seen.
struct Design {
  /// Settings x terms, each row divided by the value that it should add up to (where nothing was seen, by
  /// what is negligible).
  Eigen::MatrixXd columns;
  /// Of the settings: how exactly each is known, as the inverse of a standard deviation, the largest being 1;
  /// 0 where nothing was seen.
  Eigen::VectorXd weights;
  std::vector<double> complexities;  ///< of the terms
};

/// A choice of terms, and how well it predicts.
struct Candidate {
  std::vector<Eigen::Index> terms;  ///< columns of the design, the last first
  /// Of each setting as the others predict it: cross_validated_error().
  double error = std::numeric_limits<double>::infinity();
  double complexity = 0;
};

struct Choice {
  Candidate best;  ///< for its complexity; a constant of infinite error where nothing predicts anything
  /// What might be chosen of runs that were disturbed otherwise: those that predict best, however complex.
  std::vector<Candidate> rivals;
};

/// The choice among all terms, each by itself and in pairs, and with a constant, which is the first of them.
/// So many are only tried as leave two settings over.
Choice choice_of(const Design& design);

/// The candidate that predicts best in that design, however complex; without terms where none predicts.
Candidate best_of(std::vector<Candidate> candidates, const Design& design);

}  // namespace loadshare::scaling
