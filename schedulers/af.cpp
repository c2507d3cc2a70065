#include "schedulers/af.hpp"

#include <cmath>
#include <utility>

namespace loadshare {
namespace {

// Large enough to measure, and small enough that a slow worker does not finish last because of it.
constexpr Index first_part = 10;

SchedulerEntry adaptive_factoring(std::string name, std::string description, Counted counted) {
  return {.name = std::move(name),
          .description = std::move(description),
          .parameters = {{"first", "iterations / (10 workers)", "the first two chunks of each worker"},
                         min_info(),
                         round_info("up", "a chunk")},
          .make =
              [counted](const SchedulerSpec& spec, const LoopFacts& loop) {
                const Index share = divided(loop.iterations, divisible_workers(loop), Rounding::down);
                const Index min = spec.integer("min").value_or(1);
                return std::make_unique<Af>(Af::Parameters{
                    .workers = divisible_workers(loop),
                    .first = spec.integer("first").value_or(std::max(share / first_part, min)),
                    .min = min,
                    .round = spec.word("round", roundings).value_or(Rounding::up),
                    .counted = counted,
                });
              },
          .candidates = nothing_worth_trying,
          .kind = SizeKind::adaptive};
}

}  // namespace

Cut Af::next(const Request& request) {
  const std::size_t number = to_number(request.worker);
  const double speed = number < workers_.size() ? workers_[number].speed : 0;
  if (!(speed > 0)) return {clipped(first_size(request.remaining), parameters_.min, request.remaining)};
  // Sums over all workers, counting those without a measured speed as average.
  const double scale = static_cast<double>(crowd_.size()) / known_;
  const double d = std::max(noises_.value(), 0.0) * scale;
  const double tr = static_cast<double>(request.remaining) / (speeds_.value() * scale);
  // An equivalent form without the paper's difference of nearly equal numbers.
  const double size = 2 * tr * tr * speed / (d + 2 * tr + std::sqrt(d * (d + 4 * tr)));
  return {clipped(rounded(size, parameters_.round), parameters_.min, request.remaining)};
}

Index Af::first_size(Index remaining) const {
  return std::min(parameters_.first, divided(remaining, crowd_.size(), Rounding::up));
}

void Af::completed(const ChunkTimes& times) {
  const double seconds = counted_s(times, parameters_.counted);
  if (!(seconds > 0)) return;
  Worker& worker = at_worker(workers_, times.worker);
  worker.spread.add(times.chunk.size, seconds);
  if (worker.spread.chunks() < 2) return;
  const double speed = 1 / worker.spread.mean_s();
  set(worker, speed, worker.spread.variance() * speed);
}

void Af::set(Worker& worker, double speed, double noise) {
  known_ += (speed > 0 ? 1 : 0) - (worker.speed > 0 ? 1 : 0);
  speeds_.replace(std::exchange(worker.speed, speed), speed);
  noises_.replace(std::exchange(worker.noise, noise), noise);
}

void Af::left(WorkerId worker) {
  crowd_.left();
  Worker& record = at_worker(workers_, worker);
  set(record, 0, 0);
  record.spread = {};
}

SchedulerEntry af_entry() {
  SchedulerEntry entry = adaptive_factoring(
      "af", "by mean and variance of each worker's iterations (Banicescu and Liu 2000)", Counted::computing);
  entry.candidates = {};
  return entry;
}

SchedulerEntry maf_entry() {
  return adaptive_factoring("maf", "af with messages and waiting included (Korndoerfer et al. 2022)",
                            Counted::response);
}

}  // namespace loadshare
