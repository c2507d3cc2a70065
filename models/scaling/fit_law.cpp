#include "models/scaling/fit_law.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "models/scaling/law_search.hpp"
#include "models/scaling/least_squares.hpp"
#include "models/scaling/term_pool.hpp"
#include "schedulers/error.hpp"

namespace loadshare::scaling {

namespace {

constexpr double exact_below = 1e-9;
/// The best of some hundred choices predicts few settings better than it predicts others, and runs differ
/// by this much from one launch to the next.
constexpr double least_error = 0.01;

bool have_same_names(const Setting& one, const Setting& other) {
  return std::ranges::equal(one, other, {}, &Setting::value_type::first, &Setting::value_type::first);
}

Means means_of(std::span<const Observation> observations) {
  if (observations.empty()) throw UsageError("there is nothing to fit a law to", "no run has told of it");
  std::map<Setting, std::pair<double, int>> sums;
  for (const Observation& seen : observations) {
    if (!(std::isfinite(seen.value) && seen.value >= 0))
      throw UsageError(fmt::format("an observation is {}", seen.value),
                       "it is a finite number of at least 0");
    if (!have_same_names(seen.setting, observations.front().setting))
      throw UsageError("runs have different parameters", "each must have a value of all of them");
    auto& [sum, count] = sums[seen.setting];
    sum += seen.value;
    ++count;
  }
  Means means;
  for (const auto& [setting, sum] : sums) {
    means.settings.push_back(setting);
    means.values.push_back(sum.first / sum.second);
  }
  return means;
}

/// The law of the candidate's terms, without its error.
Law law_of(const Candidate& candidate, const RelativeTerms& relative) {
  const Eigen::MatrixXd matrix = relative.of(candidate.terms);
  const Solution solution = solve_relative(matrix);
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
  fit.covariance.assign(covariance.data(), covariance.data() + covariance.size());
  return {std::move(parts), std::move(fit)};
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

Law fit_law(std::span<const Observation> observations) {
  const Means means = means_of(observations);
  if (are_all_equal(means.values)) return constant_law(means);
  std::vector<Term> terms = term_pool(means.settings);
  terms.insert(terms.begin(), Term{});
  const RelativeTerms relative(means, terms);
  const Candidate best = choose_terms(relative, terms, means.settings.size());
  const Law law = law_of(best, relative);
  Law::Fit fit = law.fit();
  fit.ranges = ranges_of(means.settings);
  fit.error = best.error < exact_below ? 0 : std::max(least_error, best.error);
  return {fit.error == 0.0 ? tidied(law.parts(), means) : law.parts(), std::move(fit)};
}

}  // namespace loadshare::scaling
