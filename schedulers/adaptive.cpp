#include "schedulers/adaptive.hpp"

#include <algorithm>
#include <cmath>

namespace loadshare {
namespace {

// Below the resolution of any clock; keeps every rate, and so their sum, finite.
constexpr double shortest_response_s = 1e-9;

// Compared before it is converted: a large ratio does not fit in an Index.
Index rounded_within(double size, Index min, Index max) {
  if (!(size > static_cast<double>(min))) return min;
  if (size >= static_cast<double>(max)) return max;
  return static_cast<Index>(size + 0.5);  // positive here; several times as fast as llround
}

std::unique_ptr<ChunkScheduler> make_adaptive(const SchedulerSpec& spec, const LoopShape&) {
  spec.require_ordered("min", "max");
  spec.require_ordered("min", "size");
  spec.require_ordered("size", "max");
  const Adaptive::Parameters defaults;
  const auto size = spec.whole("size");
  const Index min = spec.whole("min").value_or(defaults.min);
  const Index max = spec.whole("max").value_or(std::max({defaults.max, min, size.value_or(1)}));
  return std::make_unique<Adaptive>(Adaptive::Parameters{
      .size = size.value_or(std::clamp(defaults.size, min, max)), .min = min, .max = max});
}

}  // namespace

// Knuth's two-sum: the exact error of the addition, whichever of the two is larger.
void Adaptive::Sum::add(double term) {
  const double sum = sum_ + term;
  const double added = sum - sum_;
  error_ += (sum_ - (sum - added)) + (term - added);
  sum_ = sum;
}

double& Adaptive::rate_of(WorkerId worker) {
  const std::size_t number = to_number(worker);
  if (number >= rates_.size()) rates_.resize(number + 1, 0.0);
  return rates_[number];
}

Index Adaptive::next_size(WorkerId worker, Index remaining) {
  const double rate = to_number(worker) < rates_.size() ? rates_[to_number(worker)] : 0;
  if (rate == 0) return std::min(parameters_.size, remaining);
  const double size = static_cast<double>(parameters_.size) * rate * workers_heard_ / rate_sum_.value();
  return std::min(rounded_within(size, parameters_.min, parameters_.max), remaining);
}

void Adaptive::completed(const ChunkTiming& timing) {
  if (!(timing.response_s > 0) || !std::isfinite(timing.response_s)) return;
  double& rate = rate_of(timing.worker);
  const double latest =
      static_cast<double>(timing.chunk.size) / std::max(timing.response_s, shortest_response_s);
  if (rate == 0) workers_heard_ += 1;
  rate_sum_.add(-rate);
  rate_sum_.add(latest);
  rate = latest;
}

SchedulerEntry adaptive_entry() {
  return {"adaptive",
          "a basic size scaled by each worker's latest rate (Piotrowski and Dandamudi 1997, section 3.3)",
          {{"size", "3", "C, the first chunk of each worker and the size at the mean rate"},
           {"min", "1", "the smallest chunk"},
           {"max", "9", "the largest chunk; the default gives way to a larger size or min"}},
          make_adaptive};
}

}  // namespace loadshare
