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
#include "base/statistics.hpp"
#include "models/program/scaling/least_squares.hpp"
#include "models/program/scaling/scatter.hpp"

namespace loadshare::scaling {
namespace {

/// The mean of what was seen in each setting, the settings all different.
struct Means {
  std::vector<Setting> settings;
  std::vector<double> values;
  /// How far each may be off since what it is the mean of scatters: the standard deviation over the mean.
  std::vector<double> deviations;
};

/// Each term's values in all settings, relative to what was seen there.
class RelativeTerms final {
 public:
  /// `terms` must outlive it. `weights`: of the settings.
  RelativeTerms(const Means& means, const std::vector<Term>& terms, Eigen::VectorXd weights);

  const Eigen::VectorXd& weights() const { return weights_; }

  /// Rows are settings, columns these terms, each row divided by the value that it adds up to. (A setting
  /// where nothing was seen has no relative error: it counts as a tiny value.)
  Eigen::MatrixXd of(const std::vector<const Term*>& terms) const;

 private:
  std::map<const Term*, Eigen::VectorXd> columns_;
  Eigen::VectorXd weights_;
};

/// A choice of terms, and how well it predicts.
struct Candidate {
  std::vector<const Term*> terms;
  /// Root mean square of the logarithms of predicted / seen, each setting predicted from the others and
  /// counted by its weight.
  double error = std::numeric_limits<double>::infinity();

  double complexity() const;

  /// Terms that take no part make a choice as good as it is without them: of such it is the order that
  /// decides, not what was rounded.
  double rounded_error() const;
};

constexpr double exact_below = 1e-9;
/// The best of some hundred choices predicts few settings better than it predicts others, and runs differ
/// by this much from one launch to the next.
constexpr double least_error = 0.01;
constexpr double decides_nothing = 1e-3;  // a relative error
constexpr double price = 2;               // of complexity, in logarithms of likelihood as Akaike counts them
constexpr std::size_t most_rivals = 64;
constexpr int resamples = 60;
constexpr std::size_t paired_terms = 16;  // best by themselves, which are tried in pairs with all

/// The less, the better: as Akaike weighs likelihood against parameters, with the cross-validated error for
/// that of the fit, and complexity for their number.
double cost_of(const Candidate& candidate, std::size_t settings) {
  const double square = candidate.error * candidate.error + decides_nothing * decides_nothing;
  return static_cast<double>(settings) * std::log(square) + price * candidate.complexity();
}

struct Choice {
  Candidate best;  ///< for its complexity; without terms where nothing predicts anything
  /// What might be chosen of runs that were disturbed otherwise: those that predict best, however complex.
  std::vector<Candidate> rivals;
};

/// The choices that are tried, each with its error.
class Search {
 public:
  Search(const RelativeTerms& relative, const std::vector<Term>& terms, std::size_t settings)
      : relative_(relative), terms_(terms), settings_(settings) {
    constexpr std::size_t left_over = 2;
    most_terms_ = settings > left_over ? settings - left_over : 1;
  }

  Choice choice() {
    for (const Term& term : terms_) attempt({&term});
    const std::vector<Candidate> singles = good_ones(paired_terms);
    for (const Term& term : terms_)
      for (const Candidate& single : singles) attempt_with(single, term);
    const std::vector<Candidate> pairs = good_ones(paired_terms);
    for (const Candidate& pair : pairs) attempt_with(pair, terms_.front());
    if (tried_.empty()) return {};
    const auto cost = [this](const Candidate& candidate) { return cost_of(candidate, settings_); };
    Candidate best = *std::ranges::min_element(tried_, {}, cost);
    return {best, rivals_of(best)};
  }

 private:
  void attempt(std::vector<const Term*> terms) {
    if (terms.size() > most_terms_) return;
    Candidate candidate{std::move(terms)};
    candidate.error = cross_validated_error(relative_.of(candidate.terms), relative_.weights());
    if (std::isfinite(candidate.error)) tried_.push_back(std::move(candidate));
  }

  void attempt_with(const Candidate& candidate, const Term& term) {
    constexpr std::size_t most = 3;  // a constant and two more
    if (candidate.terms.size() >= most || std::ranges::find(candidate.terms, &term) != candidate.terms.end())
      return;
    std::vector<const Term*> terms = candidate.terms;
    terms.push_back(&term);
    attempt(std::move(terms));
  }

  /// Disturbances as large as its error make none of the others better.
  std::vector<Candidate> rivals_of(const Candidate& best) {
    constexpr double near = 4;
    std::vector<Candidate> rivals = good_ones(most_rivals);
    const double most_error = near * std::max(least_error, best.error);
    std::erase_if(rivals, [&](const Candidate& rival) { return rival.error > most_error; });
    return rivals;
  }

  std::vector<Candidate> good_ones(std::size_t most) {
    std::ranges::stable_sort(tried_, {}, &Candidate::rounded_error);
    return {tried_.begin(), tried_.begin() + static_cast<std::ptrdiff_t>(std::min(most, tried_.size()))};
  }

  const RelativeTerms& relative_;
  const std::vector<Term>& terms_;
  std::size_t settings_;
  std::size_t most_terms_ = 1;
  std::vector<Candidate> tried_;
};

RelativeTerms::RelativeTerms(const Means& means, const std::vector<Term>& terms, Eigen::VectorXd weights)
    : weights_(std::move(weights)) {
  constexpr double smallest_share = 1e-6;
  const double most = std::ranges::max(means.values);
  for (const Term& term : terms) {
    Eigen::VectorXd& column = columns_[&term];
    column.resize(static_cast<Eigen::Index>(means.values.size()));
    for (std::size_t i = 0; i < means.values.size(); ++i)
      column[static_cast<Eigen::Index>(i)] =
          term.at(means.settings[i]) / std::max(means.values[i], smallest_share * most);
  }
}

Eigen::MatrixXd RelativeTerms::of(const std::vector<const Term*>& terms) const {
  Eigen::MatrixXd matrix(columns_.begin()->second.size(), static_cast<Eigen::Index>(terms.size()));
  for (std::size_t i = 0; i < terms.size(); ++i)
    matrix.col(static_cast<Eigen::Index>(i)) = columns_.at(terms[i]);
  return matrix;
}

double Candidate::complexity() const {
  double sum = 0;
  for (const Term* term : terms) sum += term->complexity() + 1;
  return sum;
}

double Candidate::rounded_error() const {
  constexpr double digits = 1e9;
  return std::round(error * digits) / digits;
}

/// Factors of one parameter side by side: n log2(n) is two of them.
using Alternative = std::vector<Term::Factor>;

std::vector<Alternative> alternatives_of_ranks() {
  return {{},           {{"p", -1}}, {{"p", 1}}, {{"p", 1, true}},          {{"p", -0.5}},
          {{"p", 0.5}}, {{"p", -2}}, {{"p", 2}}, {{"p", 1}, {"p", 1, true}}};
}

std::vector<Alternative> alternatives_of(const std::string& parameter) {
  return {{},
          {{parameter, 1}},
          {{parameter, 2}},
          {{parameter, 3}},
          {{parameter, 0.5}},
          {{parameter, 1, true}},
          {{parameter, 1}, {parameter, 1, true}},
          {{parameter, 1.5}}};
}

/// Of a parameter with too few values to choose from.
std::vector<Alternative> assumed_alternatives(const std::string& parameter) {
  std::vector<Alternative> alternatives{{}, {{parameter, 1}}};
  if (parameter == "p") alternatives.push_back({{parameter, -1}});
  return alternatives;
}

std::map<std::string, std::set<double>> values_of(std::span<const Setting> settings) {
  std::map<std::string, std::set<double>> values;
  for (const Setting& setting : settings)
    for (const auto& [name, value] : setting) values[name].insert(value);
  return values;
}

/// The names whose values differ.
std::vector<std::string> varying(const std::map<std::string, std::set<double>>& values) {
  std::vector<std::string> names;
  for (const auto& [name, seen] : values)
    if (seen.size() > 1) names.push_back(name);
  return names;
}

/// Whether no law is chosen by the values of a parameter.
bool are_too_few(const std::set<double>& values, LeastValues least) {
  return values.size() > 1 && values.size() < static_cast<std::size_t>(least);
}

std::vector<Term> products(const std::vector<Term>& terms, const std::vector<Alternative>& alternatives) {
  std::vector<Term> all;
  for (const Term& term : terms)
    for (const Alternative& alternative : alternatives) {
      Term product = term;
      product.factors.insert(product.factors.end(), alternative.begin(), alternative.end());
      all.push_back(product);
    }
  return all;
}

bool have_same_names(const Setting& one, const Setting& other) {
  return std::ranges::equal(one, other, {}, &Setting::value_type::first, &Setting::value_type::first);
}

/// The values that were seen in each setting.
std::map<Setting, std::vector<double>> values_by_setting(std::span<const Observation> observations) {
  if (observations.empty()) throw UsageError("there is nothing to fit a law to", "no run has told of it");
  std::map<Setting, std::vector<double>> values;
  for (const Observation& seen : observations) {
    if (!(std::isfinite(seen.value) && seen.value >= 0))
      throw UsageError(fmt::format("an observation is {}", seen.value),
                       "it is a finite number of at least 0");
    if (!have_same_names(seen.setting, observations.front().setting))
      throw UsageError("runs have different parameters", "each must have a value of all of them");
    values[seen.setting].push_back(seen.value);
  }
  return values;
}

/// How the values of one setting scatter, from all settings together: of few of them that are alike by chance
/// nobody should think that their mean is exact.
Scatter scatter_of(const std::map<Setting, std::vector<double>>& values) {
  std::vector<SpreadSample> samples;
  for (const auto& [setting, seen] : values) {
    const double mean = mean_of(seen);
    const double deviation = standard_deviation_of(seen);
    if (seen.size() > 1 && mean > 0)
      samples.push_back({mean, deviation * deviation, static_cast<double>(seen.size() - 1)});
  }
  return fit_scatter(samples);
}

Means means_of(std::span<const Observation> observations) {
  const auto values = values_by_setting(observations);
  const Scatter scatter = scatter_of(values);
  Means means;
  for (const auto& [setting, seen] : values) {
    const double mean = mean_of(seen);
    means.settings.push_back(setting);
    means.values.push_back(mean);
    means.deviations.push_back(
        mean > 0 ? std::sqrt(scatter.relative_variance_at(mean) / static_cast<double>(seen.size())) : 0);
  }
  return means;
}

/// Of means that are off by what they scatter, and by what makes any law of that error wrong. The largest
/// is 1.
Eigen::VectorXd weights_of(const Means& means, double error) {
  Eigen::VectorXd weights(static_cast<Eigen::Index>(means.deviations.size()));
  for (Eigen::Index i = 0; i < weights.size(); ++i)
    weights[i] = 1 / std::hypot(error, means.deviations[static_cast<std::size_t>(i)]);
  return weights / weights.maxCoeff();
}

/// The law of the candidate's terms, without its error.
Law law_of(const Candidate& candidate, const RelativeTerms& relative) {
  const Eigen::VectorXd& weights = relative.weights();
  const Eigen::MatrixXd matrix = weights.asDiagonal() * relative.of(candidate.terms);
  const Solution solution = solve(matrix, weights);
  std::vector<Law::Part> parts;
  Eigen::MatrixXd used(matrix.rows(), static_cast<Eigen::Index>(solution.columns.size()));
  for (std::size_t i = 0; i < solution.columns.size(); ++i) {
    const Eigen::Index column = solution.columns[i];
    parts.push_back({solution.coefficients[static_cast<Eigen::Index>(i)],
                     *candidate.terms[static_cast<std::size_t>(column)]});
    used.col(static_cast<Eigen::Index>(i)) = matrix.col(column);
  }
  const Eigen::MatrixXd covariance = (used.transpose() * used).inverse();
  Law::Fit fit;
  fit.settings = static_cast<int>(matrix.rows());
  const double squares = weights.squaredNorm();
  fit.settings_lost = fit.settings - squares * squares / weights.array().pow(4).sum();
  fit.covariance.assign(covariance.data(), covariance.data() + covariance.size());
  return {std::move(parts), std::move(fit)};
}

/// A choice by settings of such weights, and its law without its error.
struct Chosen {
  Eigen::VectorXd weights;
  Choice choice;
  Law law;
};

Chosen choose(const Means& means, const std::vector<Term>& terms, double error) {
  Chosen chosen;
  chosen.weights = weights_of(means, error);
  const RelativeTerms relative(means, terms, chosen.weights);
  chosen.choice = Search(relative, terms, means.settings.size()).choice();
  chosen.law = law_of(chosen.choice.best, relative);
  return chosen;
}

/// How much a mean counts that scatters hangs on how wrong the law is anyway: that is known once there is
/// one.
Chosen choose(const Means& means, const std::vector<Term>& terms) {
  const Chosen first = choose(means, terms, least_error);
  const double error = first.choice.best.error;
  const bool is_settled = error <= least_error || std::ranges::max(means.deviations) == 0;
  return is_settled ? first : choose(means, terms, error);
}

/// What would have been seen if runs had been disturbed again, as much as the law's error tells it, which of
/// few settings is itself known by chance only: a draw of chi squared. (Not what the law says and a
/// disturbance: a law too simple would be chosen again and again.) `weights`: what counts less is disturbed
/// more.
Means resampled(double error, double freedom, const Means& means, const Eigen::VectorXd& weights,
                std::mt19937& random) {
  constexpr double most = 1.5;  // wilder ones make every law possible
  std::chi_squared_distribution<double> squares(freedom);
  const double deviation = error * std::min(most, std::sqrt(freedom / squares(random)));
  std::normal_distribution<double> noise(0, deviation);
  Means others = means;
  for (std::size_t i = 0; i < others.values.size(); ++i)
    others.values[i] *= std::exp(noise(random) / weights[static_cast<Eigen::Index>(i)]);
  return others;
}

/// The law of that rival which predicts those values best. Complexity has no price here: that a simple law
/// was preferred is a choice too, and a further term that noise hides is what far predictions miss.
Law chosen_again(const RelativeTerms& relative, std::vector<Candidate> rivals) {
  for (Candidate& rival : rivals)
    rival.error = cross_validated_error(relative.of(rival.terms), relative.weights());
  std::erase_if(rivals, [](const Candidate& rival) { return !std::isfinite(rival.error); });
  if (rivals.empty()) return {};
  return law_of(*std::ranges::min_element(rivals, {}, &Candidate::rounded_error), relative);
}

/// Always the same for the same observations.
std::vector<std::vector<Law::Part>> other_laws(const Means& means, const std::vector<Term>& terms,
                                               const Chosen& chosen) {
  constexpr double most_error = 1;  // a wilder one tells nothing that the law's own uncertainty does not
  const double error = std::max(least_error, chosen.choice.best.error);
  const Law::Fit& fit = chosen.law.fit();
  const double left_over =
      fit.settings - fit.settings_lost - static_cast<double>(chosen.choice.best.terms.size());
  std::mt19937 random(1);
  std::vector<std::vector<Law::Part>> others;
  for (int i = 0; i < resamples && error <= most_error; ++i) {
    const Means again = resampled(error, std::max(1.0, left_over), means, chosen.weights, random);
    const Law other = chosen_again(RelativeTerms(again, terms, chosen.weights), chosen.choice.rivals);
    if (!other.parts().empty()) others.push_back(other.parts());
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
  return std::stod(fmt::format("{:.{}g}", value, digits));
}

bool meets_all(const std::vector<Law::Part>& parts, const Means& means) {
  constexpr double rounding = 1e-15;
  const Law law(parts, {});
  for (std::size_t i = 0; i < means.settings.size(); ++i)
    if (!(std::abs(law.at(means.settings[i]) / means.values[i] - 1) <= rounding)) return false;
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

std::vector<Term> term_pool(std::span<const Setting> settings, LeastValues least) {
  const auto values = values_of(settings);
  std::vector<std::string> names = varying(values);
  // What is divided stands before what divides: n / p.
  std::ranges::stable_partition(names, [](const std::string& name) { return name != "p"; });
  std::vector<Term> terms{{}};
  for (const std::string& name : names) {
    const bool is_assumed = are_too_few(values.at(name), least);
    terms = products(terms, is_assumed    ? assumed_alternatives(name)
                            : name == "p" ? alternatives_of_ranks()
                                          : alternatives_of(name));
  }
  std::erase_if(terms, [](const Term& term) { return term.factors.empty(); });
  std::ranges::stable_sort(terms, {}, &Term::complexity);
  return terms;
}

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
  const bool meets_all = best.error < exact_below;
  for (const auto& [name, values] : values_of(means.settings)) {
    const bool is_no_chance = meets_all && values.size() > 2;
    if (are_too_few(values, least) && !is_no_chance) fit.assumed.insert(name);
  }
  fit.error = meets_all && fit.assumed.empty() ? 0 : std::max(least_error, best.error);
  if (*fit.error > 0) fit.others = other_laws(means, terms, chosen);
  return {meets_all ? tidied(law.parts(), means) : law.parts(), std::move(fit)};
}

}  // namespace loadshare::scaling
