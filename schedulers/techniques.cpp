#include "schedulers/techniques.hpp"

#include <optional>
#include <utility>

#include "base/error.hpp"

namespace loadshare {
namespace {

constexpr double least_s = 1e-9, most_s = 1e9;

/// A time that a technique requires.
struct NeededTime {
  const char* parameter;
  const char* meaning;
  double least;
};

double known_s(const NeededTime& time, const SchedulerSpec& spec, std::optional<double> measured_s) {
  if (const auto given_s = spec.real(time.parameter, time.least, most_s)) return *given_s;
  if (measured_s) return std::clamp(*measured_s, time.least, most_s);
  const std::string parameter = time.parameter;
  throw UsageError("scheduler " + spec.name + ": " + parameter + " is missing",
                   "no earlier run of this loop has measured it",
                   "give " + std::string(time.meaning) + ", in seconds: " + parameter + "=0.001");
}

}  // namespace

Index half_share(const LoopFacts& loop) {
  // Unsigned, because the sum of two signed counts always fits.
  const auto workers = static_cast<std::uint64_t>(divisible_workers(loop));
  return static_cast<Index>((static_cast<std::uint64_t>(loop.iterations) + workers) / (2 * workers));
}

ParameterInfo min_info() {
  return {"min", "1", "the smallest chunk"};
}

ParameterInfo round_info(std::string default_text, std::string_view what) {
  return {"round", std::move(default_text), "how " + std::string(what) + " is rounded: down or up"};
}

ParameterInfo mu_info() {
  return {"mu", "measured", "mean time of an iteration, in seconds"};
}

ParameterInfo sigma_info() {
  return {"sigma", "measured", "standard deviation of an iteration's time, in seconds"};
}

ParameterInfo overhead_info() {
  return {"overhead", "measured", "h, time of a chunk besides computing, in seconds"};
}

double mu_of(const SchedulerSpec& spec, const LoopFacts& loop) {
  return known_s({"mu", "the mean time of an iteration", least_s}, spec,
                 loop.times ? std::optional(loop.times->mean_s) : std::nullopt);
}

double sigma_of(const SchedulerSpec& spec, const LoopFacts& loop) {
  return known_s({"sigma", "the standard deviation of an iteration's time", 0}, spec,
                 loop.times ? std::optional(loop.times->deviation_s) : std::nullopt);
}

double overhead_of(const SchedulerSpec& spec, const LoopFacts& loop, double least) {
  return known_s({"overhead", "the time of a chunk besides computing", least}, spec,
                 loop.times ? std::optional(loop.times->overhead_s) : std::nullopt);
}

std::vector<std::string> nothing_worth_trying(const LoopFacts&) {
  return {};
}

std::vector<Index> sizes_worth_trying(const LoopFacts& loop) {
  constexpr Index most_chunks_of_a_worker = 4096;
  std::vector<Index> sizes;
  for (Index chunks = 4; chunks <= most_chunks_of_a_worker; chunks += (chunks * 5 + 4) / 8) {
    const Index of_all = chunks * static_cast<Index>(divisible_workers(loop));
    const Index size = std::max<Index>(1, loop.iterations / of_all + (loop.iterations % of_all != 0));
    if (sizes.empty() || size < sizes.back()) sizes.push_back(size);
  }
  return sizes;
}

std::vector<Index> shares_worth_trying(const LoopFacts& loop) {
  const Index share = loop.iterations / divisible_workers(loop);
  std::vector<Index> firsts;
  for (const Index part : {2, 4, 8}) firsts.push_back(std::max<Index>(1, share / part));
  return firsts;
}

Index least_worth_trying(const LoopFacts& loop) {
  return std::max<Index>(1, loop.iterations / divisible_workers(loop) / 64);
}

std::vector<std::string> specs_of(std::string_view prefix, const std::vector<Index>& values) {
  std::vector<std::string> specs;
  for (const Index value : values) specs.push_back(std::string(prefix) + std::to_string(value));
  return specs;
}

}  // namespace loadshare
