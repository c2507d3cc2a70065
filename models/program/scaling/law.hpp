#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "models/program/scaling/variance_function.hpp"

namespace loadshare::scaling {

/// What a run was given: its parameters by name, the number of ranks `p` among them.
using Setting = std::map<std::string, double>;

/// A product of powers and logarithms of parameters: n, n / p, n * log2(n) / p, 1.
struct Term {
  struct Factor {
    std::string parameter;
    double exponent = 1;
    bool is_logarithm = false;  ///< log2(parameter) instead of the parameter
  };
  std::vector<Factor> factors;  ///< none: the constant 1

  /// Throws std::out_of_range where `setting` lacks a parameter.
  double at(const Setting& setting) const;

  /// In the language of timing graphs: "n * log2(n) / p".
  std::string text() const;

  /// How far it is from what programs usually do: 0 for the constant, 1 for n, more for roots, logarithms and
  /// products.
  double complexity() const;
};

/// How a quantity depends on a run's parameters: a sum of few terms with coefficients of at least 0.
class Law final {
 public:
  struct Part {
    double coefficient = 0;
    Term term;
  };
  struct Range {
    std::string parameter;
    double least = 0;
    double most = 0;
  };
  /// What is known of the fit; see uncertainty_at().
  struct Fit {
    std::vector<Range> ranges;  ///< of the parameters among the observations
    int settings = 0;           ///< different ones, where anything was seen
    /// Root mean square of ln(predicted / seen) where most is known, each setting predicted from the others;
    /// 0 where the law is exact, nothing where anything was seen in but one setting, which cannot tell.
    std::optional<double> error;
    /// The inverse of X'W^2 X, row by row, of the terms X relative to what was observed and the weights W,
    /// inverse standard deviations of which the largest is 1.
    std::vector<double> covariance;
    /// Parameters of which there were too few values to tell how the quantity depends on them: it is taken to
    /// be linear in them, or not to depend, or to be divided by the ranks.
    std::set<std::string> assumed = {};
    /// What the law would have been by other disturbances (see fit_law()): resamples, each as likely.
    std::vector<std::vector<Part>> others = {};
    /// How a new run differs from the mean of as many as were seen of each setting, beside what varies within
    /// it.
    VarianceFunction one_run = {};
  };

  Law() = default;
  Law(std::vector<Part> parts, Fit fit) : parts_(std::move(parts)), fit_(std::move(fit)) {}

  double at(const Setting& setting) const;

  /// Relative standard deviation of what the law says there, of a new setting: grows with the distance from
  /// what was observed, as least squares know it (error^2 (1 + x'(X'W^2 X)^-1 x)), and with how few settings
  /// there are beyond the terms, as Student's t does; and, where that is more, with how far the laws lie
  /// apart there that other disturbances would have chosen, nine in ten of them. To it comes how one run
  /// differs from the mean of several. (Of both at most 2: nine in ten within a factor of 27.) Beyond the
  /// values of an assumed parameter a standard deviation of half a power comes to that. Nothing where the
  /// error is not known.
  std::optional<double> uncertainty_at(const Setting& setting) const;

  /// Parameters of `setting` that lie outside what was observed: "n = 1e9 (seen 65536 to 1048576)".
  std::vector<std::string> extrapolations(const Setting& setting) const;

  /// In the language of timing graphs: "2.1e-09 * n / p + 3e-06". Reads back as the same law.
  std::string text() const;
  /// The same with four digits: more than any measured time is worth.
  std::string short_text() const;

  const std::vector<Part>& parts() const { return parts_; }
  const Fit& fit() const { return fit_; }
  bool is_exact() const { return fit_.error == 0; }

  /// How much the coefficients' uncertainty adds there to a squared relative error of 1: x'(X'W^2 X)^-1 x, x
  /// being the terms relative to what the law says, which is more than 0.
  double leverage_at(const Setting& setting) const;

  /// Degrees of freedom of the error: settings beyond the terms, or 1.
  int freedom() const;

 private:
  double assumed_deviation(const Setting& setting) const;
  double choice_deviation(const Setting& setting) const;
  std::string text_with(const std::function<std::string(double)>& coefficient_text) const;

  std::vector<Part> parts_;  ///< none: 0
  Fit fit_;
};

}  // namespace loadshare::scaling
