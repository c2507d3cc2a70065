#include "schedulers/fsc.hpp"

#include <cmath>
#include <numbers>

#include "schedulers/send.hpp"
#include "schedulers/techniques.hpp"

namespace loadshare {
namespace {

std::unique_ptr<ChunkScheduler> make_fsc(const SchedulerSpec& spec, const LoopFacts& loop) {
  const FscFacts facts{.iterations = loop.iterations,
                       .workers = divisible_workers(loop),
                       .overhead_s = overhead_of(spec, loop, 0),
                       .sigma_s = sigma_of(spec, loop)};
  return std::make_unique<Send>(
      Send::Parameters{.size = fsc_size(facts, spec.word("round", roundings).value_or(Rounding::up))});
}

std::unique_ptr<ChunkScheduler> make_mfsc(const SchedulerSpec& spec, const LoopFacts& loop) {
  return std::make_unique<Send>(Send::Parameters{
      .size = mfsc_size(loop.iterations, divisible_workers(loop), spec.word("round", roundings))});
}

}  // namespace

Index fsc_size(const FscFacts& facts, Rounding round) {
  if (facts.workers == 1) return std::max<Index>(facts.iterations, 1);
  if (!(facts.sigma_s > 0)) return std::max<Index>(divided(facts.iterations, facts.workers, Rounding::up), 1);
  const auto workers = static_cast<double>(facts.workers);
  const double gained = std::numbers::sqrt2 * static_cast<double>(facts.iterations) * facts.overhead_s;
  const double lost = facts.sigma_s * workers * std::sqrt(std::log(workers));
  return std::max<Index>(rounded(std::pow(gained / lost, 2.0 / 3.0), round), 1);
}

Index mfsc_size(Index iterations, Index workers, std::optional<Rounding> round) {
  constexpr double published_rounding = 0.55;
  const Index share = divided(iterations, workers, Rounding::up);
  if (share <= 1) return 1;
  const auto t = static_cast<double>(share);
  const double size = t * std::numbers::ln2 / std::log(t);
  return std::max<Index>(round ? rounded(size, *round) : rounded(published_rounding + size, Rounding::down),
                         1);
}

SchedulerEntry fsc_entry() {
  return {.name = "fsc",
          .description = "one size, the best for known overhead and deviation (Kruskal and Weiss 1985)",
          .parameters = {overhead_info(), sigma_info(), round_info("up", "the size")},
          .make = make_fsc,
          .candidates = nothing_worth_trying,
          .kind = SizeKind::fixed,
          .example = "fsc:overhead=0.0001,sigma=0.001"};
}

SchedulerEntry mfsc_entry() {
  return {.name = "mfsc",
          .description = "one size, with about as many chunks as factoring (Banicescu et al. 2013)",
          .parameters = {round_info("up from 0.45 on", "the size")},
          .make = make_mfsc,
          .candidates = nothing_worth_trying,
          .kind = SizeKind::fixed};
}

}  // namespace loadshare
