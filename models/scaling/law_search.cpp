#include "models/scaling/law_search.hpp"

#include <algorithm>
#include <cmath>

#include "models/scaling/least_squares.hpp"

namespace loadshare::scaling {

namespace {

constexpr double decides_nothing = 1e-3;  // a relative error
constexpr double price = 2;               // of complexity, in logarithms of likelihood as Akaike counts them
constexpr std::size_t paired_terms = 16;  // best by themselves, which are tried in pairs with all

Eigen::MatrixXd without_row(const Eigen::MatrixXd& matrix, Eigen::Index row) {
  Eigen::MatrixXd rest(matrix.rows() - 1, matrix.cols());
  rest << matrix.topRows(row), matrix.bottomRows(matrix.rows() - row - 1);
  return rest;
}

double log_error(const Eigen::RowVectorXd& row, const Solution& solution) {
  double predicted = 0;
  for (std::size_t i = 0; i < solution.columns.size(); ++i)
    predicted += row[solution.columns[i]] * solution.coefficients[static_cast<Eigen::Index>(i)];
  return std::log(predicted);
}

/// Root mean square of the logarithms of predicted / seen, each setting predicted from the others.
double cross_validated_error(const Eigen::MatrixXd& matrix) {
  double sum = 0;
  for (Eigen::Index row = 0; row < matrix.rows(); ++row) {
    const double error = log_error(matrix.row(row), solve_relative(without_row(matrix, row)));
    sum += error * error;
  }
  return std::sqrt(sum / static_cast<double>(matrix.rows()));
}

/// The less, the better: as Akaike weighs likelihood against parameters, with the cross-validated error for
/// that of the fit, and complexity for their number.
double cost_of(const Candidate& candidate, std::size_t settings) {
  const double square = candidate.error * candidate.error + decides_nothing * decides_nothing;
  return static_cast<double>(settings) * std::log(square) + price * candidate.complexity();
}

/// The choices that are tried, each with its error.
class Search {
 public:
  Search(const RelativeTerms& relative, const std::vector<Term>& terms, std::size_t settings)
      : relative_(relative), terms_(terms), settings_(settings) {
    constexpr std::size_t left_over = 2;
    most_terms_ = settings > left_over ? settings - left_over : 1;
  }

  Candidate best() {
    for (const Term& term : terms_) attempt({&term});
    const std::vector<Candidate> singles = good_ones();
    for (const Term& term : terms_)
      for (const Candidate& single : singles) attempt_with(single, term);
    const std::vector<Candidate> pairs = good_ones();
    for (const Candidate& pair : pairs) attempt_with(pair, terms_.front());
    return cheapest();
  }

 private:
  void attempt(std::vector<const Term*> terms) {
    if (terms.size() > most_terms_) return;
    Candidate candidate{std::move(terms)};
    candidate.error = cross_validated_error(relative_.of(candidate.terms));
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

  std::vector<Candidate> good_ones() {
    std::ranges::stable_sort(tried_, {}, &Candidate::error);
    return {tried_.begin(),
            tried_.begin() + static_cast<std::ptrdiff_t>(std::min(paired_terms, tried_.size()))};
  }

  Candidate cheapest() const {
    if (tried_.empty()) return {};
    return *std::ranges::min_element(
        tried_, {}, [this](const Candidate& candidate) { return cost_of(candidate, settings_); });
  }

  const RelativeTerms& relative_;
  const std::vector<Term>& terms_;
  std::size_t settings_;
  std::size_t most_terms_ = 1;
  std::vector<Candidate> tried_;
};

}  // namespace

RelativeTerms::RelativeTerms(const Means& means, const std::vector<Term>& terms) {
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

Candidate choose_terms(const RelativeTerms& relative, const std::vector<Term>& terms, std::size_t settings) {
  return Search(relative, terms, settings).best();
}

}  // namespace loadshare::scaling
