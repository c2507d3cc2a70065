#include "models/farm/loop_cost.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "base/error.hpp"

namespace loadshare::predictor {

namespace {

void require_cost(double seconds) {
  if (!std::isfinite(seconds) || seconds < 0)
    throw UsageError(fmt::format("iterations that cost {} s", seconds), "a cost must be 0 or more");
}

}  // namespace

LoopCost LoopCost::uniform(Index iterations, double seconds_each) {
  require_cost(seconds_each);
  if (iterations < 0)
    throw UsageError("a loop of " + std::to_string(iterations) + " iterations",
                     "the number must be 0 or more");
  LoopCost cost;
  cost.iterations_ = iterations;
  cost.seconds_each_ = seconds_each;
  return cost;
}

LoopCost LoopCost::profile(std::vector<Bin> bins) {
  LoopCost cost;
  cost.ends_.push_back({});
  for (const Bin& bin : bins) {
    require_cost(bin.seconds);
    if (bin.iterations < 1)
      throw UsageError("a part of a loop with " + std::to_string(bin.iterations) + " iterations",
                       "at least 1");
    cost.ends_.push_back({cost.ends_.back().at + bin.iterations, cost.ends_.back().seconds + bin.seconds});
  }
  cost.iterations_ = cost.ends_.back().at;
  return cost;
}

double LoopCost::variation() const {
  const double total = total_s(), iterations = static_cast<double>(iterations_);
  if (!(total > 0)) return 0;
  double squares = 0;
  for (std::size_t i = 1; i < ends_.size(); ++i) {
    const auto size = static_cast<double>(ends_[i].at - ends_[i - 1].at);
    const double over = (ends_[i].seconds - ends_[i - 1].seconds) / size / (total / iterations) - 1;
    squares += size * over * over;
  }
  return std::sqrt(squares / iterations);
}

LoopCost LoopCost::from(Index iteration) const {
  LoopCost rest = *this;
  rest.iterations_ = iterations_ - iteration;
  if (ends_.empty()) return rest;
  rest.ends_.assign(1, End{});
  for (const End& end : ends_)
    if (end.at > iteration) rest.ends_.push_back({end.at - iteration, end.seconds - before(iteration)});
  return rest;
}

LoopCost LoopCost::stretched(Index iterations) const {
  LoopCost other = *this;
  other.iterations_ = iterations;
  const double factor =
      static_cast<double>(iterations) / static_cast<double>(std::max<Index>(iterations_, 1));
  for (End& end : other.ends_)
    end = {std::llround(static_cast<double>(end.at) * factor), end.seconds * factor};
  const auto [first, last] = std::ranges::unique(other.ends_, {}, &End::at);
  other.ends_.erase(first, last);
  if (!other.ends_.empty() && iterations_ > 0) other.ends_.back().seconds = total_s() * factor;
  return other;
}

LoopCost LoopCost::times(double factor) const {
  LoopCost dearer = *this;
  dearer.seconds_each_ *= factor;
  for (End& end : dearer.ends_) end.seconds *= factor;
  return dearer;
}

double LoopCost::before(Index iteration) const {
  const auto above = std::ranges::lower_bound(ends_, iteration, {}, &End::at);
  if (above == ends_.end()) return ends_.back().seconds;
  if (above->at == iteration) return above->seconds;
  const End& below = *std::prev(above);
  const double share = static_cast<double>(iteration - below.at) / static_cast<double>(above->at - below.at);
  return below.seconds + share * (above->seconds - below.seconds);
}

}  // namespace loadshare::predictor
