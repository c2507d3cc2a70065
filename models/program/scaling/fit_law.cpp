#include "models/program/scaling/fit_law.hpp"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <set>

#include "base/error.hpp"
#include "base/quantities.hpp"
#include "base/statistics.hpp"
#include "models/program/scaling/least_squares.hpp"
#include "models/program/scaling/model_selection.hpp"
#include "models/program/scaling/variance_function.hpp"

namespace loadshare::scaling {
namespace {

constexpr double exact_below = 1e-9;
constexpr int resamples = 60;

/// What is known of each setting, the settings all different.
struct Means {
  std::vector<Setting> settings;
  std::vector<double> values;
  std::vector<double> deviations;  ///< the standard error of each mean over the mean
  VarianceFunction between_runs;   ///< of one setting; none where there was one run of each
  double mean_share = 0;           ///< of one run in the mean of a setting
};

using BySetting = std::map<Setting, std::vector<Observation>>;

bool have_same_names(const Setting& one, const Setting& other) {
  return std::ranges::equal(one, other, {}, &Setting::value_type::first, &Setting::value_type::first);
}

BySetting by_setting(std::span<const Observation> observations) {
  if (observations.empty()) throw UsageError("there is nothing to fit a law to", "no run has a value for it");
  BySetting all;
  for (const Observation& seen : observations) {
    if (!(std::isfinite(seen.value) && seen.value >= 0))
      throw UsageError(fmt::format("an observation is {}", seen.value),
                       "it must be a finite number of at least 0");
    if (!(std::isfinite(seen.standard_error) && seen.standard_error >= 0))
      throw UsageError(fmt::format("a standard error is {}", seen.standard_error),
                       "it must be a finite number of at least 0");
    if (!have_same_names(seen.setting, observations.front().setting))
      throw UsageError("runs have different parameters", "each run needs a value of every parameter");
    all[seen.setting].push_back(seen);
  }
  return all;
}

std::vector<double> values_of(const std::vector<Observation>& seen) {
  std::vector<double> values;
  for (const Observation& one : seen) values.push_back(one.value);
  return values;
}

/// Of values together, as they vary within their runs: the mean of the squares.
double variance_within(const std::vector<Observation>& seen) {
  double sum = 0;
  for (const Observation& one : seen) sum += one.standard_error * one.standard_error;
  return sum / static_cast<double>(seen.size());
}

/// How runs of one setting differ beside what varies within them, from all settings together: of few of them
/// that are alike by chance nobody should think that their mean is exact.
VarianceFunction variance_between_runs(const BySetting& all) {
  std::vector<VarianceSample> samples;
  for (const auto& [setting, seen] : all) {
    const std::vector<double> values = values_of(seen);
    const double mean = mean_of(values);
    const double deviation = standard_deviation_of(values);
    const auto freedom = static_cast<double>(values.size() - 1);
    if (freedom > 0 && mean > 0)
      samples.push_back({mean, deviation * deviation, freedom, variance_within(seen)});
  }
  return fit_variance(samples);
}

Means means_of(std::span<const Observation> observations) {
  const BySetting all = by_setting(observations);
  Means means;
  means.between_runs = variance_between_runs(all);
  for (const auto& [setting, seen] : all) {
    const double mean = mean_of(values_of(seen));
    means.settings.push_back(setting);
    means.values.push_back(mean);
    const double relative =
        mean > 0 ? variance_within(seen) / (mean * mean) + means.between_runs.relative_at(mean) : 0;
    means.deviations.push_back(std::sqrt(relative / static_cast<double>(seen.size())));
    means.mean_share += 1 / static_cast<double>(seen.size() * all.size());
  }
  return means;
}

/// `error`: what makes any law wrong, beside what makes a mean uncertain; a relative standard deviation.
Design design_of(const Means& means, const std::vector<Term>& terms, double error) {
  constexpr double negligible = 1e-4;
  const double most = std::ranges::max(means.values);
  const auto rows = static_cast<Eigen::Index>(means.values.size());
  Design design{{rows, static_cast<Eigen::Index>(terms.size())}, Eigen::VectorXd(rows), {}};
  for (const Term& term : terms) design.complexities.push_back(term.complexity());
  for (Eigen::Index row = 0; row < rows; ++row) {
    const auto i = static_cast<std::size_t>(row);
    const bool is_seen = means.values[i] > 0;
    const double unit = is_seen ? means.values[i] : negligible * most;
    for (std::size_t term = 0; term < terms.size(); ++term)
      design.columns(row, static_cast<Eigen::Index>(term)) = terms[term].at(means.settings[i]) / unit;
    design.weights[row] = is_seen ? 1 / std::hypot(error, means.deviations[i]) : 0;
  }
  design.weights /= design.weights.maxCoeff();
  return design;
}

/// The law of the candidate's terms, without its error.
Law law_of(const Candidate& candidate, const Design& design, const std::vector<Term>& terms) {
  const Eigen::MatrixXd matrix = design.weights.asDiagonal() * design.columns(Eigen::all, candidate.terms);
  const Solution solution = solve(matrix, design.weights);
  std::vector<Law::Part> parts;
  for (std::size_t i = 0; i < solution.columns.size(); ++i) {
    const auto term = candidate.terms[static_cast<std::size_t>(solution.columns[i])];
    parts.push_back(
        {solution.coefficients[static_cast<Eigen::Index>(i)], terms[static_cast<std::size_t>(term)]});
  }
  const Eigen::MatrixXd used = matrix(Eigen::all, solution.columns);
  const Eigen::MatrixXd covariance = (used.transpose() * used).inverse();
  Law::Fit fit;
  fit.settings = static_cast<int>((design.weights.array() > 0).count());
  fit.covariance.assign(covariance.data(), covariance.data() + covariance.size());
  return {std::move(parts), std::move(fit)};
}

struct Chosen {
  Design design;
  Choice choice;
  Law law;  ///< without its error
};

Chosen choose(const Means& means, const std::vector<Term>& terms, double error) {
  Chosen chosen;
  chosen.design = design_of(means, terms, error);
  chosen.choice = choice_of(chosen.design);
  chosen.law = law_of(chosen.choice.best, chosen.design, terms);
  return chosen;
}

/// What makes that law wrong beside what makes means uncertain, by its residuals: the method of moments
/// (DerSimonian and Laird, "Meta-analysis in clinical trials", 1986), a residual being as much smaller than
/// an error as its setting bends the law. A relative standard deviation.
double model_error(const Chosen& chosen, const Means& means) {
  const Eigen::VectorXd& weights = chosen.design.weights;
  double squares = 0;
  double sum = 0;
  for (Eigen::Index row = 0; row < weights.size(); ++row) {
    const auto i = static_cast<std::size_t>(row);
    const double ratio = chosen.law.at(means.settings[i]) / means.values[i];
    if (weights[row] == 0 || ratio == 0) continue;
    const double square = weights[row] * weights[row];
    const double left = std::max(0.0, 1 - square * ratio * ratio * chosen.law.leverage_at(means.settings[i]));
    squares += square * ((ratio - 1) * (ratio - 1) - left * means.deviations[i] * means.deviations[i]);
    sum += square * left;
  }
  constexpr double nothing = 1e-9;
  return sum > nothing ? std::sqrt(std::max(least_error * least_error, squares / sum)) : least_error;
}

/// How much a mean counts that is uncertain hangs on how wrong the law is anyway: that is known once there is
/// one.
Chosen choose(const Means& means, const std::vector<Term>& terms) {
  const Chosen first = choose(means, terms, least_error);
  if (std::ranges::max(means.deviations) == 0) return first;
  return choose(means, terms, model_error(first, means));
}

/// As if runs had been disturbed again, as much as the law's error tells it, which of few settings is itself
/// known by chance only: a draw of chi squared. (Not what the law says and a disturbance: a law too simple
/// would be chosen again and again.) What is less exactly known is disturbed more.
Design disturbed(Design design, double error, int freedom, std::mt19937& random) {
  constexpr double most = 1.5;  // wilder ones make every law possible
  std::chi_squared_distribution<double> squares(freedom);
  const double unit = error * std::min(most, std::sqrt(freedom / squares(random)));
  std::normal_distribution<double> normal;
  for (Eigen::Index row = 0; row < design.weights.size(); ++row) {
    const double relative = unit / design.weights[row];
    if (std::isfinite(relative))
      design.columns.row(row) *= std::exp(std::sqrt(std::log1p(relative * relative)) * normal(random));
  }
  return design;
}

/// Laws of those rivals that predict best what other disturbances would have shown. Complexity has no price
/// here: that a simple law was preferred is a choice too, and a further term that noise hides is what far
/// predictions miss. Always the same for the same observations.
std::vector<std::vector<Law::Part>> other_laws(const Chosen& chosen, const std::vector<Term>& terms) {
  constexpr double most_error = 1;  // a wilder one tells nothing that the law's own uncertainty does not
  const double error = std::max(least_error, chosen.choice.best.error);
  std::mt19937 random(1);
  std::vector<std::vector<Law::Part>> others;
  for (int i = 0; i < resamples && error <= most_error; ++i) {
    const Design again = disturbed(chosen.design, error, chosen.law.freedom(), random);
    const Candidate best = best_of(chosen.choice.rivals, again);
    if (!best.terms.empty()) others.push_back(law_of(best, again, terms).parts());
  }
  return others;
}

std::vector<Law::Range> ranges_of(const std::vector<Setting>& settings) {
  std::vector<Law::Range> ranges;
  for (const auto& [name, value] : settings.front()) {
    Law::Range range{name, value, value};
    for (const Setting& setting : settings) {
      range.least = std::min(range.least, setting.at(name));
      range.most = std::max(range.most, setting.at(name));
    }
    ranges.push_back(range);
  }
  return ranges;
}

Law constant_law(const Means& means) {
  Law::Fit fit;
  fit.ranges = ranges_of(means.settings);
  fit.settings = static_cast<int>(means.settings.size());
  if (fit.settings > 1) fit.error = 0;
  fit.covariance = {1};
  std::vector<Law::Part> parts;
  if (means.values.front() != 0) parts.push_back({means.values.front(), {}});
  return {std::move(parts), std::move(fit)};
}

bool are_all_equal(const std::vector<double>& values) {
  return std::ranges::all_of(values, [&](double value) { return value == values.front(); });
}

double with_digits(double value, int digits) {
  return parse_number(fmt::format("{:.{}g}", value, digits)).value();
}

bool meets_all(const std::vector<Law::Part>& parts, const Means& means) {
  constexpr double rounding = 1e-15;
  const Law law(parts, {});
  for (std::size_t i = 0; i < means.settings.size(); ++i)
    if (means.values[i] > 0 && std::abs(law.at(means.settings[i]) / means.values[i] - 1) > rounding)
      return false;
  return true;
}

/// An exact law's coefficients in the fewest digits that still give what was seen: 8, not 8.000000000000002.
std::vector<Law::Part> tidied(const std::vector<Law::Part>& parts, const Means& means) {
  for (int digits = 1; digits < std::numeric_limits<double>::max_digits10; ++digits) {
    std::vector<Law::Part> shorter = parts;
    for (Law::Part& part : shorter) part.coefficient = with_digits(part.coefficient, digits);
    if (meets_all(shorter, means)) return shorter;
  }
  return parts;
}

}  // namespace

Law fit_law(std::span<const Observation> observations, LeastValues least) {
  const Means means = means_of(observations);
  if (are_all_equal(means.values)) return constant_law(means);
  std::vector<Term> terms = term_pool(means.settings, least);
  terms.insert(terms.begin(), Term{});
  const Chosen chosen = choose(means, terms);
  const Candidate& best = chosen.choice.best;
  const Law& law = chosen.law;
  Law::Fit fit = law.fit();
  fit.ranges = ranges_of(means.settings);
  fit.one_run = means.between_runs.scaled(1 - means.mean_share);
  const bool meets_all = best.error < exact_below;
  for (const auto& [name, values] : values_of(means.settings)) {
    const bool is_no_chance = meets_all && values.size() > 2;
    if (are_too_few(values, least) && !is_no_chance) fit.assumed.insert(name);
  }
  if (meets_all && fit.assumed.empty()) {
    fit.error = 0;
  } else if (std::isfinite(best.error)) {
    fit.error = std::max(least_error, best.error);
    fit.others = other_laws(chosen, terms);
  }
  return {meets_all ? tidied(law.parts(), means) : law.parts(), std::move(fit)};
}

}  // namespace loadshare::scaling
