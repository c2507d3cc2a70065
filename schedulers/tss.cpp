#include "schedulers/tss.hpp"

#include <algorithm>
#include <string>

#include "base/error.hpp"
#include "schedulers/techniques.hpp"

namespace loadshare {
namespace {

// Unsigned, because twice a signed count and the sum of two always fit.
std::uint64_t wide(Index value) {
  return static_cast<std::uint64_t>(value);
}

void require_consistent(const SchedulerSpec& spec) {
  if (spec.has("step") && spec.has("last"))
    throw UsageError("scheduler tss: both step and last are given", "last chooses the step", "leave one out");
  spec.require_ordered("last", "first");
  spec.require_ordered("min", "first");
}

std::unique_ptr<ChunkScheduler> make_tss(const SchedulerSpec& spec, const LoopFacts& loop) {
  require_consistent(spec);
  const auto last = spec.integer("last");
  const Index min = std::max(spec.integer("min").value_or(1), last.value_or(1));
  const Index first = spec.integer("first").value_or(std::max(half_share(loop), min));
  const Index step =
      last ? trapezoid_step(loop.iterations, first, *last) : spec.integer("step", 0).value_or(1);
  return std::make_unique<Tss>(Tss::Parameters{.first = first, .step = step, .min = min});
}

std::vector<std::string> tss_candidates(const LoopFacts& loop) {
  std::vector<std::string> specs;
  for (const Index first : shares_worth_trying(loop))
    specs.push_back("tss:first=" + std::to_string(first) + ",last=1");
  return specs;
}

}  // namespace

Cut Tss::next(const Request& request) {
  const Index size = std::min(size_, request.remaining);
  size_ = std::max(size_ - parameters_.step, parameters_.min);
  return {size};
}

Index trapezoid_step(Index iterations, Index first, Index last) {
  const std::uint64_t area = 2 * wide(iterations), ends = wide(first) + wide(last);
  const std::uint64_t chunks = area / ends + (area % ends != 0 ? 1 : 0);
  return chunks < 2 ? 0 : static_cast<Index>(wide(first - last) / (chunks - 1));
}

SchedulerEntry tss_entry() {
  return {"tss",
          "trapezoid: sizes fall in a straight line (Tzen and Ni 1993)",
          {{"first", "iterations / (2 workers)", "the first chunk, the default rounded to nearest"},
           {"step", "1", "T, the decrease from chunk to chunk; 0 keeps the size"},
           {"min", "1", "the smallest chunk"},
           {"last", "none", "instead of step: the last chunk, from which Tzen and Ni's step follows"}},
          make_tss,
          tss_candidates};
}

}  // namespace loadshare
