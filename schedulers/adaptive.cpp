#include "schedulers/adaptive.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "schedulers/techniques.hpp"

namespace loadshare {
namespace {

// The rate of a chunk in the shortest time that usable_s() returns.
constexpr double highest_rate = static_cast<double>(std::numeric_limits<Index>::max()) / 1e-9;

std::unique_ptr<ChunkScheduler> make_adaptive(const SchedulerSpec& spec, const LoopFacts& loop) {
  spec.require_ordered("min", "max");
  spec.require_ordered("min", "size");
  spec.require_ordered("size", "max");
  const Adaptive::Parameters defaults;
  const auto size = spec.integer("size");
  const Index min = spec.integer("min").value_or(defaults.min);
  const Index max = spec.integer("max").value_or(std::max({defaults.max, min, size.value_or(1)}));
  return std::make_unique<Adaptive>(
      Adaptive::Parameters{
          .size = size.value_or(std::clamp(defaults.size, min, max)), .min = min, .max = max},
      loop.learned);
}

std::vector<std::string> adaptive_candidates(const LoopFacts& loop) {
  std::vector<std::string> specs;
  for (const Index size : sizes_worth_trying(loop))
    specs.push_back("adaptive:size=" + std::to_string(size) + ",max=" + std::to_string(3 * size));
  return specs;
}

}  // namespace

inline void Adaptive::set_rate(WorkerId worker, double latest) {
  const double before = std::exchange(at_worker(rates_, worker), latest);
  if (!(before > 0)) sizes_ += static_cast<double>(parameters_.size);
  size_per_rate_ = sizes_ / rate_sum_.replace(before, latest);
}

Adaptive::Adaptive(Parameters parameters, const Learned& learned) : parameters_(parameters) {
  for (std::size_t worker = 0; worker < learned.rates.size(); ++worker)
    if (learned.rates[worker] > 0 && learned.rates[worker] <= highest_rate)
      set_rate(WorkerId{static_cast<std::uint32_t>(worker)}, learned.rates[worker]);
}

Cut Adaptive::next(const Request& request) {
  const std::size_t number = to_number(request.worker);
  const double rate = number < rates_.size() ? rates_[number] : 0;
  if (!(rate > 0)) return {std::min(parameters_.size, request.remaining)};
  return {std::min(rounded_within_bounds(size_per_rate_ * rate), request.remaining)};
}

void Adaptive::completed(const ChunkTimes& times) {
  const double response_s = usable_s(times.response_s);
  if (response_s > 0) set_rate(times.worker, static_cast<double>(times.chunk.size) / response_s);
}

SchedulerEntry adaptive_entry() {
  return {"adaptive",
          "a basic size scaled by each worker's latest rate (Piotrowski and Dandamudi 1997, section 3.3)",
          {{"size", "3", "C, the first chunk of each worker and the size at the mean rate"},
           {"min", "1", "the smallest chunk"},
           {"max", "9", "the largest chunk; the default gives way to a larger size or min"}},
          make_adaptive,
          adaptive_candidates,
          SizeKind::adaptive};
}

}  // namespace loadshare
