#include "models/program/scaling/model_selection.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "models/program/scaling/least_squares.hpp"

namespace loadshare::scaling {
namespace {

constexpr double decides_nothing = 1e-3;  // a relative error
constexpr double price = 2;               // of complexity, in logarithms of likelihood as Akaike counts them
constexpr std::size_t most_rivals = 64;
constexpr std::size_t paired_terms = 16;  // best by themselves, which are tried in pairs with all

/// Terms that take no part make a choice as good as it is without them: of such the simpler is the better,
/// not what was rounded.
std::pair<double, double> order_of(const Candidate& candidate) {
  constexpr double digits = 1e9;
  return {std::round(candidate.error * digits) / digits, candidate.complexity};
}

/// Of those that predict anything.
std::vector<Candidate> best_ones(std::vector<Candidate> candidates, std::size_t most) {
  std::erase_if(candidates, [](const Candidate& candidate) { return !std::isfinite(candidate.error); });
  std::ranges::stable_sort(candidates, {}, order_of);
  if (candidates.size() > most) candidates.resize(most);
  return candidates;
}

double error_of(const Candidate& candidate, const Design& design) {
  return cross_validated_error(design.columns(Eigen::all, candidate.terms), design.weights);
}

/// The choices that are tried, each with its error.
class Search final {
 public:
  explicit Search(const Design& design) : design_(design) {
    constexpr std::size_t left_over = 2;
    settings_ = static_cast<std::size_t>((design.weights.array() > 0).count());
    most_terms_ = settings_ > left_over ? settings_ - left_over : 1;
  }

  Choice choice() const {
    const Eigen::Index count = design_.columns.cols();
    std::vector<Candidate> singles;
    for (Eigen::Index term = 0; term < count; ++term) attempt(singles, {term});
    const std::vector<Candidate> pairs = tried_pairs(best_ones(singles, paired_terms));
    std::vector<Candidate> triples;
    for (const Candidate& pair : best_ones(pairs, paired_terms))
      if (pair.terms.back() != 0) attempt(triples, {pair.terms[0], pair.terms[1], 0});
    std::vector<Candidate> all = std::move(singles);
    all.insert(all.end(), pairs.begin(), pairs.end());
    all.insert(all.end(), triples.begin(), triples.end());
    all = best_ones(std::move(all), all.size());
    if (all.empty()) return {{{0}}, {}};
    const auto cost = [this](const Candidate& candidate) { return cost_of(candidate); };
    Candidate best = *std::ranges::min_element(all, {}, cost);
    return {best, rivals_of(best, std::move(all))};
  }

 private:
  /// All of which one is among the best singles, each once.
  std::vector<Candidate> tried_pairs(const std::vector<Candidate>& best_singles) const {
    std::vector<bool> is_done(static_cast<std::size_t>(design_.columns.cols()));
    std::vector<Candidate> pairs;
    for (const Candidate& single : best_singles) {
      const Eigen::Index one = single.terms.front();
      is_done[static_cast<std::size_t>(one)] = true;
      for (Eigen::Index other = 0; other < design_.columns.cols(); ++other)
        if (!is_done[static_cast<std::size_t>(other)])
          attempt(pairs, {std::max(one, other), std::min(one, other)});
    }
    return pairs;
  }

  void attempt(std::vector<Candidate>& tried, std::vector<Eigen::Index> terms) const {
    if (terms.size() > most_terms_) return;
    Candidate candidate{std::move(terms)};
    candidate.error = error_of(candidate, design_);
    for (const Eigen::Index term : candidate.terms)
      candidate.complexity += design_.complexities[static_cast<std::size_t>(term)] + 1;
    tried.push_back(std::move(candidate));
  }

  /// The less, the better: as Akaike weighs likelihood against parameters, with the cross-validated error for
  /// that of the fit, and complexity for their number.
  double cost_of(const Candidate& candidate) const {
    const double square = candidate.error * candidate.error + decides_nothing * decides_nothing;
    return static_cast<double>(settings_) * std::log(square) + price * candidate.complexity;
  }

  /// Disturbances as large as its error make none of the others better.
  static std::vector<Candidate> rivals_of(const Candidate& best, std::vector<Candidate> all) {
    constexpr double near = 4;
    const double most_error = near * std::max(least_error, best.error);
    std::erase_if(all, [&](const Candidate& rival) { return rival.error > most_error; });
    return best_ones(std::move(all), most_rivals);
  }

  const Design& design_;
  std::size_t settings_ = 0;  ///< where anything was seen
  std::size_t most_terms_ = 1;
};

}  // namespace

Choice choice_of(const Design& design) {
  return Search(design).choice();
}

Candidate best_of(std::vector<Candidate> candidates, const Design& design) {
  for (Candidate& candidate : candidates) candidate.error = error_of(candidate, design);
  const std::vector<Candidate> best = best_ones(std::move(candidates), 1);
  return best.empty() ? Candidate{} : best.front();
}

}  // namespace loadshare::scaling
