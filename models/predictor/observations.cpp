#include "models/predictor/observations.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "models/communication/linear_costs.hpp"

namespace loadshare::predictor {

namespace {

/// What a chunk costs beside computing in shared memory; by messages it is several times as much.
constexpr double most_of_near_s = 30e-6;

}  // namespace

void Observations::given(WorkerId worker, Index size, double now_s) {
  Worker& record = workers_[to_number(worker)];
  if (record.first_size > 0) return;
  record.first_size = size;
  record.first_given_s = now_s;
  begun_s_ = std::min(begun_s_, now_s);
}

void Observations::completed(const ChunkTiming& timing) {
  Worker& worker = workers_[to_number(timing.worker)];
  if (worker.returned++ == 0 && farm_.do_first_chunks_wait()) {
    if (timing.response_s - timing.compute_s > most_of_near_s)
      arrived_s_ = std::min(arrived_s_, worker.first_given_s + timing.response_s);
    return;
  }
  // The shortest chunks are not all timed (RunRecord::is_thinned): their response is all that is known.
  const double compute_s = timing.compute_s > 0 ? timing.compute_s : timing.response_s;
  const auto size = static_cast<double>(timing.chunk.size);
  ++worker.chunks;
  ++chunks_;
  worker.iterations += size;
  worker.computing_s += std::max(0.0, compute_s);
  worker.each_s += compute_s / size;
  worker.each_squared += compute_s / size * compute_s / size;
  if (!tells_overhead(worker)) return;
  const double beside_s = std::max(0.0, timing.response_s - compute_s);
  ++worker.heard;
  worker.beside_s += beside_s;
  if (is_near(worker)) return;
  n_ += 1, x_ += size, y_ += beside_s, xx_ += size * size, xy_ += size * beside_s;
}

// Of chunks behind others in a worker's queue it is only what that did not hide: of no use where something
// better is heard, the first chunk.
bool Observations::tells_overhead(const Worker& worker) const {
  return farm_.prefetch == 0 || worker.returned == 1 || farm_.do_first_chunks_wait();
}

bool Observations::has_most() const {
  const auto told = std::ranges::count_if(workers_, [](const Worker& worker) { return worker.chunks > 0; });
  return 2 * told >= std::ssize(workers_);
}

double Observations::mean_size() const {
  double iterations = 0;
  for (const Worker& worker : workers_) iterations += worker.iterations;
  return chunks_ > 0 ? iterations / static_cast<double>(chunks_) : 0;
}

bool Observations::is_near(const Worker& worker) const {
  return worker.heard > 0 && worker.mean_beside_s() < most_of_near_s;
}

double Observations::near_s() const {
  double sum_s = 0, count = 0;
  for (const Worker& worker : workers_)
    if (is_near(worker)) sum_s += worker.mean_beside_s(), ++count;
  return count > 0 ? sum_s / count : 0;
}

// Relative, about each worker's own mean.
double Observations::chunk_deviation() const {
  constexpr double most = 0.2;  // the chunks that are to come are longer, and scatter less
  double variance = 0, freedom = 0;
  for (const Worker& worker : workers_) {
    if (worker.chunks < 2) continue;
    const auto count = static_cast<double>(worker.chunks);
    const double mean_s = worker.each_s / count;
    if (!(mean_s > 0)) continue;
    variance += std::max(0.0, worker.each_squared - count * mean_s * mean_s) / (mean_s * mean_s);
    freedom += count - 1;
  }
  return freedom > 0 ? std::min(std::sqrt(variance / freedom), most) : 0;
}

double Observations::slowest_iteration_s() const {
  double slowest_s = 0;
  for (const Worker& worker : workers_)
    if (worker.chunks > 0) slowest_s = std::max(slowest_s, worker.iteration_s());
  return slowest_s;
}

double Observations::iteration_s(const Worker& worker, double now_s) const {
  if (worker.chunks > 0) return worker.iteration_s();
  // It may be done soon, or not for long: a quarter more is a guess.
  constexpr double still_to_come = 1.25;
  if (worker.returned > 0 || worker.first_size == 0) return slowest_iteration_s();
  const double from_s =
      farm_.do_first_chunks_wait() ? std::max(worker.first_given_s, arrived_s_) : worker.first_given_s;
  const double so_far_s = std::max(0.0, now_s - from_s) / static_cast<double>(worker.first_size);
  return std::max(slowest_iteration_s(), still_to_come * so_far_s);
}

// Chunks of a survey are too short to tell it: what every host needed does, once it has come to one.
std::optional<double> Observations::bandwidth() const {
  if (!farm_.do_first_chunks_wait() || !(arrived_s_ > begun_s_) || std::isinf(arrived_s_))
    return std::nullopt;
  return farm_.shared_bytes / (arrived_s_ - begun_s_);
}

Observations::Overhead Observations::overhead(double now_s) const {
  if (n_ == 0) return {};
  if (const auto known = bandwidth()) {
    const double each_s = (farm_.input_each + farm_.result_each) / *known;
    // Others' messages were on the way too: in a port that is busy for a part u of the time, what shares it
    // takes 1 / (1 - u) times as long.
    constexpr double most_busy = 0.9;
    const double port_s = x_ * std::max(farm_.input_each, farm_.result_each) / *known;
    const double elapsed_s = now_s - arrived_s_;
    const double busy = elapsed_s > 0 ? std::min(port_s / elapsed_s, most_busy) : 0;
    return {std::max(0.0, (y_ - each_s * x_ / (1 - busy)) / n_), each_s};
  }
  const double spread = n_ * xx_ - x_ * x_;
  if (spread <= 0) return {y_ / n_, 0};
  const double each_s = std::max(0.0, (n_ * xy_ - x_ * y_) / spread);
  return {std::max(0.0, (y_ - each_s * x_) / n_), each_s};
}

// Where the sizes of messages do not matter, an iteration counts as a byte each way.
Scenario Observations::scenario(Index iterations, double now_s) const {
  Scenario scenario;
  scenario.loop = LoopCost::uniform(iterations, 1);
  const Overhead overhead = this->overhead(now_s);
  const std::optional<double> known = bandwidth();
  constexpr double infinite = std::numeric_limits<double>::infinity();
  const double by_chunks = overhead.each_s > 0 ? 2 / overhead.each_s : infinite;
  scenario.links.push_back(std::make_shared<communication::LinearCosts>(
      communication::LinearCosts::Parameters{overhead.fixed_s / 2, known.value_or(by_chunks), infinite}));
  scenario.bytes = known ? ChunkBytes{0, 0, farm_.input_each, farm_.result_each} : ChunkBytes{0, 0, 1, 1};
  if (known) scenario.ports = PortOrder::shared;
  scenario.master.near.order_s = scenario.master.near.report_s = near_s() / 2;
  scenario.prefetch = farm_.prefetch;
  scenario.reissue = farm_.reissue;
  const double deviation = chunk_deviation();
  scenario.scatter = {0, deviation * deviation * mean_size()};
  constexpr double least_iteration_s = 1e-12;  // an empty loop still has an order of events
  for (const Worker& worker : workers_) {
    WorkerModel model;
    model.speed = 1 / std::max(iteration_s(worker, now_s), least_iteration_s);
    if (!is_near(worker)) model.link = 0;
    scenario.workers.push_back(std::move(model));
  }
  return scenario;
}

}  // namespace loadshare::predictor
