#include "schedulers/steady.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace loadshare {
namespace {

// Part of a worker's share: large enough to measure, and small enough even for a worker whose speed is a
// sixth of its weight.
constexpr double first_chunk = 1.0 / 8;
// The part of that for every second worker.
constexpr double smaller_first_chunk = 1.0 / 4;
// Shortest useful chunk, in multiples of its overhead. A shorter one costs more than it balances.
constexpr double least_of_overhead = 3;
// Weight of first chunks in the line of overheads: at the start all workers wait for each other.
constexpr double weight_of_first = 0.1;

}  // namespace

Steady::Steady(const LoopFacts& loop) : crowd_(divisible_workers(loop)) {
  const auto known = static_cast<double>(loop.weights.size());
  if (known > 0) expected_ = std::accumulate(loop.weights.begin(), loop.weights.end(), 0.0) / known;
  workers_.resize(loop.learned.rates.size());
  const double share = static_cast<double>(loop.iterations) / static_cast<double>(crowd_.size());
  for (std::size_t number = 0; number < workers_.size(); ++number) {
    const double seconds = usable_s(share / loop.learned.rates[number]);
    if (seconds > 0) workers_[number].iterations = share, workers_[number].seconds = seconds;
  }
  begin_with(loop.learned.overhead);
}

// Begins as if every worker had returned a chunk, half of them smaller and half larger than the mean.
void Steady::begin_with(const Learned::Overhead& overhead) {
  const double response_s = usable_s(overhead.response_s);
  if (!(response_s > 0) || !(overhead.size > 0)) return;
  const double chunks = static_cast<double>(crowd_.size());
  for (const double part : {0.5, 1.5})
    overheads_.add(part * overhead.size, overhead.fixed_s + part * overhead.size * overhead.each_s,
                   chunks / 2);
  responses_s_ = chunks * response_s;
  weigh_messages();
}

Cut Steady::next(const Request& request) {
  const Worker& worker = present(request.worker);
  const auto remaining = static_cast<double>(request.remaining);
  const double size = worker.rate > 0 ? later_size(worker, remaining)
                                      : first_size(worker, remaining) *
                                            (to_number(request.worker) % 2 == 1 ? smaller_first_chunk : 1);
  return {clipped(rounded(std::max(size, 0.0), Rounding::up), 1, request.remaining)};
}

double Steady::first_size(const Worker& worker, double remaining) const {
  return first_chunk * remaining * worker.weight / (mean_weight() * static_cast<double>(crowd_.size()));
}

double Steady::later_size(const Worker& worker, double remaining) const {
  const double all = worker.rate * duration_s(remaining / all_rates(), worker.rate);
  const auto free = static_cast<double>(std::max<Index>(worker.window - worker.chunks, 1));
  // A rate measured over few iterations is trusted for no more than these.
  return std::min((all - static_cast<double>(worker.held)) / free, worker.iterations);
}

// A worker without a rate counts by its weight, and an expected worker as average.
double Steady::all_rates() const {
  const double missing = static_cast<double>(crowd_.size()) - present_;
  const double unknown = weights_.value() - known_weights_.value() + missing * mean_weight();
  return rates_.value() * (1 + std::max(unknown, 0.0) / known_weights_.value());
}

double Steady::duration_s(double left_s, double rate) const {
  const double k_s = overhead_s_ + 0.5 / rate;
  const double balanced_s = message_share_ > 0 ? std::sqrt(k_s * left_s / message_share_) : left_s;
  return std::min(left_s, std::max(std::min(left_s, balanced_s) / 2, least_of_overhead * k_s));
}

Steady::Worker& Steady::present(WorkerId id) {
  Worker& worker = at_worker(workers_, id);
  if (worker.weight == 0) set_weight(worker, 1);
  return worker;
}

void Steady::assigned(WorkerId id, Chunk chunk) {
  Worker& worker = at_worker(workers_, id);
  worker.held += chunk.size;
  ++worker.chunks;
}

// A chunk may be returned in parts.
void Steady::take(WorkerId id, Chunk chunk) {
  Worker& worker = at_worker(workers_, id);
  worker.held = std::max<Index>(worker.held - chunk.size, 0);
  worker.chunks = worker.held > 0 ? std::max<Index>(worker.chunks - 1, 1) : 0;
}

void Steady::completed(const ChunkTimes& times) {
  take(times.worker, times.chunk);
  const double response_s = usable_s(times.response_s - times.waiting_s.value_or(0));
  if (!(response_s > 0)) return;
  if (times.compute_s) learn_overhead(times, response_s);
  // Overheads vary, too, and may exceed the response time.
  constexpr double least_part = 0.1;
  Worker& worker = present(times.worker);
  worker.seconds += std::max(response_s - overhead_s_, least_part * response_s);
  worker.iterations += static_cast<double>(times.chunk.size);
  set_rate(worker, worker.iterations / worker.seconds);
}

void Steady::learn_overhead(const ChunkTimes& times, double response_s) {
  const double overhead_s = std::clamp(response_s - *times.compute_s, 0.0, response_s);
  const double weight = std::exchange(present(times.worker).has_returned, true) ? 1 : weight_of_first;
  overheads_.add(static_cast<double>(times.chunk.size), overhead_s, weight);
  responses_s_ += weight * response_s;
  weigh_messages();
}

void Steady::weigh_messages() {
  const Line line = overheads_.rising_line();
  overhead_s_ = line.start;
  message_share_ = line.slope * overheads_.x / responses_s_;
}

void Steady::set_rate(Worker& worker, double rate) {
  known_weights_.replace(worker.rate > 0 ? worker.weight : 0, rate > 0 ? worker.weight : 0);
  rates_.replace(std::exchange(worker.rate, rate), rate);
}

void Steady::set_weight(Worker& worker, double weight) {
  present_ += (weight > 0 ? 1 : 0) - (worker.weight > 0 ? 1 : 0);
  if (worker.rate > 0) known_weights_.replace(worker.weight, weight);
  weights_.replace(std::exchange(worker.weight, weight), weight);
}

void Steady::joined(WorkerId id, const WorkerFacts& facts) {
  crowd_.joined();
  Worker& worker = at_worker(workers_, id);
  set_weight(worker, facts.weight);
  worker.window = facts.window;
  if (worker.iterations > 0) set_rate(worker, worker.iterations / worker.seconds);
}

void Steady::left(WorkerId id) {
  crowd_.left();
  Worker& worker = at_worker(workers_, id);
  set_rate(worker, 0);
  set_weight(worker, 0);
  worker = {};
}

Learned Steady::learned() const {
  Learned learned;
  for (const Worker& worker : workers_) learned.rates.push_back(worker.rate);
  if (overheads_.n > 0 && responses_s_ > 0)
    learned.overhead = {overhead_s_, message_share_ * responses_s_ / overheads_.x,
                        overheads_.x / overheads_.n, responses_s_ / overheads_.n};
  return learned;
}

SchedulerEntry steady_entry() {
  return {.name = "steady",
          .description =
              "half of the remaining time at mean rates; less if messages make other workers wait (loadshare "
              "2026)",
          .parameters = {},
          .make = [](const SchedulerSpec&, const LoopFacts& loop) { return std::make_unique<Steady>(loop); },
          .kind = SizeKind::adaptive};
}

}  // namespace loadshare
