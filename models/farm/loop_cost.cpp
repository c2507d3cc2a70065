#include "models/farm/loop_cost.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "base/error.hpp"

namespace loadshare::predictor {

namespace {

void require_cost(double seconds) {
  if (!std::isfinite(seconds) || seconds < 0)
    throw UsageError("iterations that cost " + std::to_string(seconds) + " s", "a cost is 0 or more");
}

}  // namespace

WidthFactor::WidthFactor(std::vector<Point> points) : points_(std::move(points)) {
  for (const Point& point : points_)
    if (!(point.factor > 0) || !std::isfinite(point.factor))
      throw UsageError("a chunk of " + std::to_string(point.size) + " iterations costs " +
                           std::to_string(point.factor) + " times as much",
                       "a factor is more than 0");
}

double WidthFactor::least() const {
  return points_.empty() ? 1 : std::ranges::min_element(points_, {}, &Point::factor)->factor;
}

double WidthFactor::between(Index size) const {
  const auto above = std::ranges::lower_bound(points_, size, {}, &Point::size);
  if (above == points_.end()) return points_.back().factor;
  if (above == points_.begin() || above->size == size) return above->factor;
  const Point& below = *std::prev(above);
  const double share = std::log(static_cast<double>(size) / static_cast<double>(below.size)) /
                       std::log(static_cast<double>(above->size) / static_cast<double>(below.size));
  return below.factor + share * (above->factor - below.factor);
}

LoopCost LoopCost::uniform(Index iterations, double seconds_each) {
  require_cost(seconds_each);
  if (iterations < 0)
    throw UsageError("a loop of " + std::to_string(iterations) + " iterations",
                     "there can be none, but not fewer");
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

double LoopCost::before(Index iteration) const {
  const auto above = std::ranges::lower_bound(ends_, iteration, {}, &End::at);
  if (above == ends_.end()) return ends_.back().seconds;
  if (above->at == iteration) return above->seconds;
  const End& below = *std::prev(above);
  const double share = static_cast<double>(iteration - below.at) / static_cast<double>(above->at - below.at);
  return below.seconds + share * (above->seconds - below.seconds);
}

}  // namespace loadshare::predictor
