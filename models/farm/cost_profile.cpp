#include "models/farm/cost_profile.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <random>

#include "base/random.hpp"
#include "models/farm/cost_process.hpp"

namespace loadshare::predictor {
namespace {

using Eigen::VectorXd;

/// As laws are varied: the walk, the iterations' and the chunks' deviation.
constexpr std::array varied{&CostLaws::walk, &CostLaws::iteration, &CostLaws::chunk};

/// Climbs to the likeliest laws, one of them after the other, in ever smaller steps; `log_evidence` tells how
/// likely they are.
CostLaws likeliest(CostLaws laws, const auto& log_evidence) {
  double best = log_evidence(laws);
  for (const double step : {2.5, 1.5})
    for (double CostLaws::*const one : varied)
      for (const double by : {step, 1 / step})
        for (bool is_better = true; is_better;) {
          CostLaws other = laws;
          other.*one *= by;
          // Costs that follow the model exactly make ever smaller deviations ever likelier.
          const double found = other.*one < least_law || other.*one > most_law ? best : log_evidence(other);
          is_better = found > best;
          if (is_better) laws = other, best = found;
        }
  return laws;
}

/// The laws, and those around them: what they are is known to a factor of about that.
std::vector<CostLaws> around(const CostLaws& laws) {
  constexpr double factor = 2;
  std::vector<CostLaws> all{laws};
  for (double CostLaws::*const one : varied)
    for (const double by : {factor, 1 / factor}) {
      all.push_back(laws);
      all.back().*one *= by;
    }
  return all;
}

}  // namespace

CostProfile::CostProfile(const CostObservations& observations, Index most_pieces)
    : process_(std::make_unique<const Process>(observations, most_pieces)) {
  VectorXd start = process_->nothing_known();
  for (const double narrow : {narrow_usual, narrow_other}) {
    const CostLaws laws = likeliest(CostLaws{.narrow = narrow}, [&](const CostLaws& tried) {
      const Posterior found = process_->posterior(tried, start);
      if (std::isfinite(found.log_evidence)) start = found.mode;
      return found.log_evidence;
    });
    for (const CostLaws& one : around(laws)) posteriors_.push_back(process_->posterior(one, start));
  }
  std::ranges::sort(posteriors_, std::greater<>(), &Posterior::log_evidence);
  constexpr double negligible = 0.01;
  for (Posterior& one : posteriors_) one.weight = std::exp(one.log_evidence - posteriors_[0].log_evidence);
  std::erase_if(posteriors_, [](const Posterior& one) { return !(one.weight > negligible); });
}

CostProfile::CostProfile(const CostObservations& observations, const CostLaws& laws, Index most_pieces)
    : process_(std::make_unique<const Process>(observations, most_pieces)) {
  posteriors_.push_back(process_->posterior(laws, process_->nothing_known()));
}

CostProfile::~CostProfile() = default;

const CostLaws& CostProfile::laws() const {
  return posteriors_[0].laws;
}

CostDraw CostProfile::middle() const {
  return process_->draw_of(laws(), posteriors_[0].mode);
}

CostDraw CostProfile::drawn(std::uint64_t number) const {
  std::mt19937_64 random(split_mix::mix(number));
  double weights = 0;
  for (const Posterior& one : posteriors_) weights += one.weight;
  double left = fraction(random) * weights;
  const auto chosen = std::ranges::find_if(posteriors_, [&](const Posterior& one) {
    left -= one.weight;
    return left <= 0;
  });
  const Posterior& one = chosen == posteriors_.end() ? posteriors_.back() : *chosen;
  VectorXd away(process_->unknowns());
  for (double& value : away) value = normal(random);
  one.precision.matrixU().solveInPlace(away);
  return process_->draw_of(one.laws, process_->levelled(one.mode, away));
}

Interval CostProfile::alone() const {
  constexpr std::uint64_t draws = 99;
  std::vector<double> factors;
  for (std::uint64_t number = 1; number <= draws; ++number) factors.push_back(drawn(number).widths[0].at(1));
  return {quantile_of(factors, 0.05), quantile_of(factors, 0.95)};
}

std::vector<double> CostProfile::run_slowness() const {
  return process_->run_slowness(posteriors_[0].mode);
}

CostProfile::Expected CostProfile::expected(const std::vector<ChunkCost>& others) const {
  const Posterior& best = posteriors_[0];
  VectorXd slope = process_->nothing_known();
  double seconds = 0, variance = 0;
  for (const Process::Alike& chunk : process_->grouped(others)) {
    const double expected_s = process_->expected_s(chunk, best.mode);
    for (const auto& [row, by] : process_->slope(chunk, best.mode)) slope[row] += expected_s * by;
    seconds += expected_s;
    // What these iterations' own parts are is not known, though the piece's others are.
    const auto& [walk, iteration, repeated, narrow] = best.laws;
    const double own = repeated * repeated / chunk.count + iteration * iteration / chunk.iterations +
                       chunk.doubt * chunk.doubt;
    variance += expected_s * expected_s * own;
  }
  variance += slope.dot(best.precision.solve(slope));
  return {seconds, std::sqrt(variance) / seconds};
}

}  // namespace loadshare::predictor
