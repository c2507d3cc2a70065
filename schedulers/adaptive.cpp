#include "schedulers/adaptive.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "schedulers/techniques.hpp"

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

std::vector<std::string> adaptive_candidates(const LoopShape& shape) {
  std::vector<std::string> specs;
  for (const Index size : sizes_worth_trying(shape))
    specs.push_back("adaptive:size=" + std::to_string(size) + ",max=" + std::to_string(3 * size));
  return specs;
}

}  // namespace

Index Adaptive::next_size(WorkerId worker, Index remaining) {
  const std::size_t number = to_number(worker);
  const double rate = number < rates_.size() ? rates_[number] : 0;
  if (rate == 0) return std::min(parameters_.size, remaining);
  return std::min(rounded_within(size_per_rate_ * rate, parameters_.min, parameters_.max), remaining);
}

void Adaptive::completed(const ChunkTiming& timing) {
  if (!(timing.response_s > 0) || !std::isfinite(timing.response_s)) return;
  const std::size_t number = to_number(timing.worker);
  if (number >= rates_.size()) rates_.resize(number + 1, 0.0);
  const double latest =
      static_cast<double>(timing.chunk.size) / std::max(timing.response_s, shortest_response_s);
  if (rates_[number] == 0) workers_known_ += 1;
  rate_sum_.add(-rates_[number]);
  rate_sum_.add(latest);
  rates_[number] = latest;
  size_per_rate_ = static_cast<double>(parameters_.size) * workers_known_ / rate_sum_.value();
}

SchedulerEntry adaptive_entry() {
  return {"adaptive",
          "a basic size scaled by each worker's latest rate (Piotrowski and Dandamudi 1997, section 3.3)",
          {{"size", "3", "C, the first chunk of each worker and the size at the mean rate"},
           {"min", "1", "the smallest chunk"},
           {"max", "9", "the largest chunk; the default gives way to a larger size or min"}},
          make_adaptive,
          adaptive_candidates};
}

}  // namespace loadshare
