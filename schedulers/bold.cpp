#include "schedulers/bold.hpp"

#include <cmath>
#include <numbers>

#include "schedulers/techniques.hpp"

namespace loadshare {
namespace {

// If a chunk cost nothing, every size would be the best one.
constexpr double least_overhead_s = 1e-9;

std::unique_ptr<ChunkScheduler> make_bold(const SchedulerSpec& spec, const LoopFacts& loop) {
  return std::make_unique<Bold>(Bold::Parameters{
      .workers = divisible_workers(loop),
      .mu_s = mu_of(spec, loop),
      .sigma_s = sigma_of(spec, loop),
      .overhead_s = overhead_of(spec, loop, least_overhead_s),
      .min = spec.integer("min").value_or(1),
      .round = spec.word("round", roundings).value_or(Rounding::up),
  });
}

double squared(double number) {
  return number * number;
}

}  // namespace

Bold::Bold(const Parameters& parameters)
    : parameters_(parameters),
      per_worker_(1 / static_cast<double>(parameters.workers)),
      a_(2 * squared(parameters.sigma_s / parameters.mu_s)),
      b_(a_ > 0 ? 8 * a_ * std::log(8 * a_) : 0),
      ln_b_(b_ > 0 ? std::log(b_) : 0),
      c1_(parameters.overhead_s / (parameters.mu_s * std::numbers::ln2)),
      ln_workers_over_c2_(
          std::log(static_cast<double>(parameters.workers) / (std::sqrt(2 * std::numbers::pi) * c1_))) {}

Cut Bold::next(const Request& request) {
  now_s_ = request.now_s;
  const auto remaining = static_cast<double>(request.remaining);
  const double unreturned = remaining + static_cast<double>(request.outstanding);
  const Index size = rounded(size_of(remaining, unreturned), parameters_.round);
  return {clipped(size, parameters_.min, request.remaining)};
}

double Bold::size_of(double remaining, double unreturned) const {
  const double q = remaining * per_worker_;
  if (q <= 1) return 1;
  const double undone = unreturned - (now_s_ * speeds_.value() - begins_.value());
  const double r = std::max(remaining, std::min(undone, unreturned));
  const double t = r * per_worker_, sum = b_ + q;
  // Computes v and d by their logarithms. At most two of these depend on each other, which matters because
  // the longest chain of dependent operations determines the time of a decision.
  const double ln_q = std::log(q), ln_sum = std::log(sum), ln_ln_q = std::log(ln_q);
  const double ln_d_over_c2 = ln_workers_over_c2_ + ln_q + ln_sum + (ln_ln_q - std::log(sum + b_ * ln_q));
  if (ln_d_over_c2 <= 0) return t;
  const double s = a_ * ln_d_over_c2 * (1 + unreturned * per_worker_ / r);
  const double w = ln_ln_q + (b_ > 0 ? ln_b_ + ln_q - ln_sum : 0);
  const double size = t + s / 2 - std::sqrt(s * (t + s / 4)) + std::max(c1_ * w, 0.0);
  return std::clamp(size, 0.0, t);
}

void Bold::assigned(WorkerId worker, Chunk chunk) {
  Worker& record = at_worker(workers_, worker);
  record.iterations += chunk.size;
  if (record.chunks++ == 0) renew(record, now_s_);
}

void Bold::reclaimed(WorkerId worker, Chunk chunk) {
  take(worker, chunk, now_s_);
}

// The response time begins at the worker's previous return, so the sum gives the start of the next chunk.
void Bold::completed(const ChunkTimes& times) {
  const Worker& record = at_worker(workers_, times.worker);
  take(times.worker, times.chunk, record.begun_s + usable_s(times.response_s));
}

// A chunk may be returned in parts.
void Bold::take(WorkerId worker, Chunk chunk, double ended_s) {
  Worker& record = at_worker(workers_, worker);
  record.iterations = std::max<Index>(record.iterations - chunk.size, 0);
  record.chunks = record.iterations > 0 ? std::max<Index>(record.chunks - 1, 1) : 0;
  renew(record, ended_s);
}

void Bold::renew(Worker& worker, double begun_s) {
  // Assumes that all chunks of the worker have their mean size.
  const auto iterations = static_cast<double>(worker.iterations);
  const double chunks_s =
      iterations * parameters_.mu_s + static_cast<double>(worker.chunks) * parameters_.overhead_s;
  const double speed = worker.chunks > 0 && iterations > 0 ? iterations / chunks_s : 0;
  begins_.replace(worker.begun_s * worker.speed, begun_s * speed);
  speeds_.replace(worker.speed, speed);
  worker.begun_s = begun_s;
  worker.speed = speed;
}

SchedulerEntry bold_entry() {
  return {.name = "bold",
          .description = "larger than seems safe, as overhead and scatter allow (Hagerup 1997)",
          .parameters = {mu_info(), sigma_info(), overhead_info(), min_info(), round_info("up", "a chunk")},
          .make = make_bold,
          .candidates = nothing_worth_trying,
          .example = "bold:mu=0.001,sigma=0.0005,overhead=0.0001"};
}

}  // namespace loadshare
