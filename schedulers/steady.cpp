#include "schedulers/steady.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "schedulers/techniques.hpp"

namespace loadshare {
namespace {

double dev(const char* name, double usual) {
  const char* text = std::getenv(name);
  return text ? std::atof(text) : usual;
}
const double probe_part = dev("S_FIRST", 0.0625);
const double k2 = std::pow(dev("S_K", 2), 2);
const double x_min = dev("S_XMIN", 0.25);
const double x_max = dev("S_XMAX", 1);
const double c_h = dev("S_CH", 2);
const double c_e = dev("S_CE", 1);
const double m0 = dev("S_M0", 1);
const double forget = dev("S_FORGET", 1);
const double use_o = dev("S_O", 1);
const double n_forget = dev("S_NFORGET", 1);

}  // namespace

Steady::Steady(const LoopFacts& loop) : crowd_(divisible_workers(loop)) {
  for (std::size_t number = 0; number < loop.learned.rates.size(); ++number) {
    const double rate = loop.learned.rates[number];
    if (!(telling_s(rate) > 0)) continue;
    // TODO
  }
}

double Steady::chunk_s(double rest_s) const {
  const double noise_s = (m0 * rest_s / 2 + k2 * noise_s_) / (m0 + noises_);
  double chunk_s = rest_s + noise_s / 2 - std::sqrt(noise_s * (rest_s + noise_s / 4));
  chunk_s = std::clamp(chunk_s, x_min * rest_s, x_max * rest_s);
  chunk_s = std::max(chunk_s, c_h * overhead_s_);
  return rest_s - chunk_s < c_e * overhead_s_ ? rest_s : std::min(chunk_s, rest_s);
}

Cut Steady::next(const Request& request) {
  now_s_ = request.now_s;
  Worker& worker = at_worker(workers_, request.worker);
  if (worker.weight == 0) set_weight(worker, 1);
  const auto remaining = static_cast<double>(request.remaining);
  const auto workers = static_cast<double>(crowd_.size());
  const double mean_weight = weights_.value() / here_;
  const double all_weights = mean_weight * workers;
  double size = remaining * probe_part * worker.weight / all_weights;
  if (worker.rate > 0) {
    const double mean_speed = scale() * mean_weight;
    const double all = (rates_.value() + scale() * (weights_.value() - known_weights_.value())) +
                       mean_speed * (workers - here_);
    const auto out = static_cast<double>(request.outstanding);
    const double progress = request.now_s * busy_speeds_.value() - busy_since_.value();
    const double undone = out - std::clamp(progress, 0.0, out);
    const double rest_s = (remaining + use_o * undone) / all;
    const double free = std::max(worker.window - worker.chunks, 1.0);
    size = (worker.rate * chunk_s(rest_s) - worker.held) / free;
  }
  return {clipped(whole(size, Rounding::up), 1, request.remaining)};
}

void Steady::busy(Worker& worker, double since_s) {
  const double speed = worker.held > 0 ? speed_of(worker) : 0;
  busy_since_.replace(worker.since_s * worker.speed, since_s * speed);
  busy_speeds_.replace(worker.speed, speed);
  worker.since_s = since_s;
  worker.speed = speed;
}

void Steady::assigned(WorkerId id, Chunk chunk) {
  Worker& worker = at_worker(workers_, id);
  worker.held += static_cast<double>(chunk.size);
  if (++worker.chunks == 1) busy(worker, now_s_);
}

void Steady::reclaimed(WorkerId id, Chunk chunk) {
  Worker& worker = at_worker(workers_, id);
  worker.held = std::max(0.0, worker.held - static_cast<double>(chunk.size));
  worker.chunks = worker.held > 0 ? std::max(worker.chunks - 1, 1.0) : 0;
  busy(worker, worker.since_s);
}

void Steady::learn_overhead(const ChunkTimes& times) {
  if (!times.compute_s) return;
  const double beside_s = times.response_s - *times.compute_s - times.waiting_s.value_or(0);
  beside_.add(static_cast<double>(times.chunk.size), std::max(0.0, beside_s));
  overhead_s_ = beside_.rising_line().start;
}

void Steady::completed(const ChunkTimes& times) {
  Worker& worker = at_worker(workers_, times.worker);
  const auto size = static_cast<double>(times.chunk.size);
  worker.held = std::max(0.0, worker.held - size);
  worker.chunks = worker.held > 0 ? std::max(worker.chunks - 1, 1.0) : 0;
  const double response_s = telling_s(times.response_s - times.waiting_s.value_or(0));
  const double ended_s = worker.since_s + telling_s(times.response_s);
  if (response_s > 0) {
    if (worker.rate > 0) {
      const double error_s = response_s - overhead_s_ - size / worker.rate;
      noise_s_ = noise_s_ * n_forget + error_s * error_s / std::max(response_s, size / worker.rate);
      noises_ = noises_ * n_forget + 1;
    }
    learn_overhead(times);
    const double computing_s = std::max(response_s - overhead_s_, 0.1 * response_s);
    worker.iterations = forget * worker.iterations + size;
    worker.seconds = forget * worker.seconds + computing_s;
    set_rate(worker, worker.iterations / worker.seconds);
  }
  busy(worker, ended_s);
}

void Steady::set_rate(Worker& worker, double rate) {
  known_weights_.replace(worker.rate > 0 ? worker.weight : 0, rate > 0 ? worker.weight : 0);
  rates_.replace(std::exchange(worker.rate, rate), rate);
}

void Steady::set_weight(Worker& worker, double weight) {
  here_ += (weight > 0 ? 1 : 0) - (worker.weight > 0 ? 1 : 0);
  weights_.replace(worker.weight, weight);
  worker.weight = weight;
}

void Steady::joined(WorkerId id, const WorkerFacts& facts) {
  crowd_.joined();
  Worker& worker = at_worker(workers_, id);
  set_weight(worker, facts.weight);
  worker.window = facts.window;
}

void Steady::left(WorkerId id) {
  crowd_.left();
  Worker& worker = at_worker(workers_, id);
  set_rate(worker, 0);
  set_weight(worker, 0);
  busy(worker, 0);
  worker = {};
}

Learned Steady::learned() const {
  Learned learned;
  for (const Worker& worker : workers_) learned.rates.push_back(worker.rate);
  return learned;
}

SchedulerEntry steady_entry() {
  return {.name = "steady",
          .description = "by forecasts",
          .parameters = {},
          .make = [](const SchedulerSpec&, const LoopFacts& loop) { return std::make_unique<Steady>(loop); },
          .candidates = nothing_worth_trying,
          .kind = SizeKind::adaptive};
}

}  // namespace loadshare
