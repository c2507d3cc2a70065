#pragma once

#include <Eigen/Dense>
#include <limits>
#include <map>
#include <vector>

#include "models/scaling/term.hpp"

namespace loadshare::scaling {

/// The mean of what was seen in each setting, the settings all different.
struct Means {
  std::vector<Setting> settings;
  std::vector<double> values;
};

/// Each term's values in all settings, relative to what was seen there.
class RelativeTerms final {
 public:
  /// `terms` must outlive it.
  RelativeTerms(const Means& means, const std::vector<Term>& terms);

  /// Rows are settings, columns these terms, each row divided by the value that it adds up to. (A setting
  /// where nothing was seen has no relative error: it counts as a tiny value.)
  Eigen::MatrixXd of(const std::vector<const Term*>& terms) const;

 private:
  std::map<const Term*, Eigen::VectorXd> columns_;
};

/// A choice of terms, and how well it predicts.
struct Candidate {
  std::vector<const Term*> terms;
  /// Root mean square of the logarithms of predicted / seen, each setting predicted from the others.
  double error = std::numeric_limits<double>::infinity();

  double complexity() const;
};

/// Of the choices of one to three of `terms`, the first of which is the constant, the one that predicts
/// settings left out best for its complexity. No terms where nothing predicts anything.
Candidate choose_terms(const RelativeTerms& relative, const std::vector<Term>& terms, std::size_t settings);

}  // namespace loadshare::scaling
