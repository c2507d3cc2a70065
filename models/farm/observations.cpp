#include "models/farm/observations.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "models/farm/farm_simulation.hpp"
#include "models/messages/message_costs.hpp"
#include "schedulers/iteration_spread.hpp"
#include "schedulers/workers.hpp"

namespace loadshare::predictor {
namespace {

/// What a chunk costs beside computing in shared memory; by messages it is several times as much.
constexpr double most_of_near_s = 30e-6;

}  // namespace

void Observations::given(WorkerId worker, Index size, double now_s) {
  Worker& record = at_worker(workers_, worker);  // more may come than were expected
  if (record.first_size > 0) return;
  record.first_size = size;
  record.first_given_s = now_s;
  begun_s_ = std::min(begun_s_, now_s);
}

void Observations::completed(const ChunkTimes& times) {
  Worker& worker = at_worker(workers_, times.worker);
  // The shortest chunks are not all timed (RunRecord::is_thinned): their response is all that is known.
  const double compute_s =
      times.compute_s ? *times.compute_s + times.waiting_s.value_or(0) : times.response_s;
  if (worker.returned++ == 0 && farm_.do_first_chunks_wait()) {
    if (times.response_s - times.compute_s.value_or(0) - times.waiting_s.value_or(0) > most_of_near_s)
      note_arrival(worker.first_given_s + times.response_s,
                   times.response_s >= 2 * times.compute_s.value_or(times.response_s));
    if (!times.compute_s || !times.waiting_s) return;
    worker.is_provisional = true;
    return add_costs(worker, times, *times.compute_s);
  }
  if (std::exchange(worker.is_provisional, false)) worker.costs = {};
  add_costs(worker, times, compute_s);
  if (!tells_overhead(worker)) return;
  const double beside_s = std::max(0.0, times.response_s - compute_s);
  ++worker.overheads;
  worker.beside_s += beside_s;
  if (is_near(worker)) return;
  beside_.add(static_cast<double>(times.chunk.size), beside_s);
}

void Observations::note_arrival(double by_s, bool is_close) {
  if (by_s >= arrived_s_) return;
  arrived_s_ = by_s;
  is_arrival_close_ = is_close;
}

void Observations::add_costs(Worker& worker, const ChunkTimes& times, double compute_s) {
  const auto size = static_cast<double>(times.chunk.size);
  worker.costs.add(size, middle_of(times.chunk), std::max(0.0, compute_s));
}

/// Returns the chunk's middle as a fraction of the loop.
double Observations::middle_of(Chunk chunk) const {
  return (static_cast<double>(chunk.first) + 0.5 * static_cast<double>(chunk.size)) /
         static_cast<double>(std::max<Index>(farm_.iterations, 1));
}

// A chunk that was queued behind another shows only the part of the overhead that the queue did not hide. So
// where chunks are prefetched, the first chunk alone tells it.
bool Observations::tells_overhead(const Worker& worker) const {
  return farm_.prefetch == 0 || worker.returned == 1 || farm_.do_first_chunks_wait();
}

bool Observations::has_most() const {
  const auto known =
      std::ranges::count_if(workers_, [](const Worker& worker) { return worker.costs.chunks > 0; });
  return 2 * known >= std::ssize(workers_);
}

bool Observations::has_all() const {
  return std::ranges::all_of(workers_, [](const Worker& worker) { return worker.costs.chunks > 0; });
}

std::vector<double> Observations::rates() const {
  std::vector<double> rates;
  for (const Worker& worker : workers_)
    rates.push_back(worker.costs.seconds > 0 ? worker.costs.iterations / worker.costs.seconds : 0);
  return rates;
}

bool Observations::has_any() const {
  return std::ranges::any_of(workers_, [](const Worker& worker) { return worker.costs.chunks > 0; });
}

double Observations::mean_size() const {
  double iterations = 0, chunks = 0;
  for (const Worker& worker : workers_) iterations += worker.costs.iterations, chunks += worker.costs.chunks;
  return chunks > 0 ? iterations / chunks : 0;
}

CostTrend Observations::trend() const {
  std::vector<TrendSums> sums;
  for (const Worker& worker : workers_) sums.push_back(worker.costs);
  return farm_.iterations > 0 ? CostTrend(sums) : CostTrend();
}

bool Observations::is_near(const Worker& worker) const {
  return worker.overheads > 0 && worker.mean_beside_s() < most_of_near_s;
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
    const TrendSums& costs = worker.costs;
    if (costs.chunks < 2) continue;
    const double count = costs.chunks, mean_s = costs.y / count;
    if (!(mean_s > 0)) continue;
    variance += std::max(0.0, costs.yy - count * mean_s * mean_s) / (mean_s * mean_s);
    freedom += count - 1;
  }
  return freedom > 0 ? std::min(std::sqrt(variance / freedom), most) : 0;
}

double Observations::slowest_iteration_s(const CostTrend& trend) const {
  double slowest_s = 0;
  for (const Worker& worker : workers_)
    if (worker.costs.chunks > 0) slowest_s = std::max(slowest_s, trend.base_s(worker.costs));
  return slowest_s;
}

double Observations::iteration_s(const Worker& worker, const CostTrend& trend, double now_s) const {
  if (worker.costs.chunks > 0) return trend.base_s(worker.costs);
  // It may be done soon, or not for long: a quarter more is a guess.
  constexpr double still_to_come = 1.25;
  if (worker.returned > 0 || worker.first_size == 0) return slowest_iteration_s(trend);
  const double from_s =
      farm_.do_first_chunks_wait() ? std::max(worker.first_given_s, arrived_s_) : worker.first_given_s;
  const double so_far_s = std::max(0.0, now_s - from_s) / static_cast<double>(worker.first_size);
  return std::max(slowest_iteration_s(trend), still_to_come * so_far_s);
}

Observations::Expected::Expected(const Observations& seen)
    : seen_(seen), trend_(seen.trend()), slowest_s_(seen.slowest_iteration_s(trend_)) {
  double seconds = 0, iterations = 0;
  for (const Worker& worker : seen.workers_)
    seconds += worker.costs.seconds, iterations += worker.costs.iterations;
  if (iterations > 0) mean_s_ = seconds / iterations;
}

double Observations::Expected::seconds(WorkerId worker, Chunk chunk) const {
  constexpr double most = 2;
  const bool is_known =
      to_number(worker) < seen_.workers_.size() && seen_.workers_[to_number(worker)].costs.chunks > 0;
  const TrendSums own = is_known ? seen_.workers_[to_number(worker)].costs : TrendSums{};
  const auto size = static_cast<double>(chunk.size);
  const double mean_s = size * (is_known ? own.seconds / own.iterations : mean_s_);
  const double by_trend_s =
      (is_known ? trend_.base_s(own) : slowest_s_) * trend_.units(size, seen_.middle_of(chunk));
  return std::min(by_trend_s, most * mean_s);
}

// Warm-up chunks are too short to show it; what every host needed does, once it has come to one. Not where
// that is a vector of some KB, and the chunk computed long after it was there.
std::optional<double> Observations::bandwidth() const {
  if (!is_arrival_close_ || !(arrived_s_ > begun_s_)) return std::nullopt;
  return farm_.shared_bytes / (arrived_s_ - begun_s_);
}

Observations::Overhead Observations::overhead(double now_s) const {
  if (beside_.n == 0) return {};
  if (const auto known = bandwidth()) {
    const double each_s = (farm_.input_each + farm_.result_each) / *known;
    // Others' messages were on the way too: in a port that is busy for a part u of the time, what shares it
    // takes 1 / (1 - u) times as long.
    constexpr double most_busy = 0.9;
    const double port_s = beside_.x * std::max(farm_.input_each, farm_.result_each) / *known;
    const double elapsed_s = now_s - arrived_s_;
    const double busy = elapsed_s > 0 ? std::min(port_s / elapsed_s, most_busy) : 0;
    return {std::max(0.0, (beside_.y - each_s * beside_.x / (1 - busy)) / beside_.n), each_s};
  }
  const Line line = beside_.rising_line();
  return {line.start, line.slope};
}

// Where the sizes of messages do not matter, an iteration counts as a byte each way.
Scenario Observations::scenario(Index iterations, double now_s) const {
  Scenario scenario;
  const CostTrend trend = this->trend();
  scenario.loop = trend.rest(iterations, std::max(iterations, farm_.iterations));
  scenario.widths = {trend.width()};
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
    model.speed = 1 / std::max(iteration_s(worker, trend, now_s), least_iteration_s);
    if (!is_near(worker)) model.link = 0;
    scenario.workers.push_back(std::move(model));
  }
  return scenario;
}

namespace {

/// Returns when a chunk was given, or when its worker returned the previous one. The record may lack that
/// one; then a chunk that had waited for it began immediately after it.
double given_s(const ChunkRecord& chunk, const RunRecord& run, double before_s) {
  constexpr double least_wait_s = 10e-6;
  const bool has_waited = chunk.begun_s - chunk.received_s > least_wait_s;
  if (run.is_thinned && has_waited) before_s = chunk.returned_s - (chunk.ended_s - chunk.begun_s);
  return std::max(chunk.assigned_s, before_s);
}

}  // namespace

void replay(const RunRecord& run, const std::function<void(const ChunkTimes&, double)>& hear) {
  std::vector<double> returned_s;
  for (const ChunkRecord& chunk : run.chunks) {
    if (chunk.is_duplicate) continue;
    double& before_s = at_worker(returned_s, chunk.worker);
    const double since_s = given_s(chunk, run, before_s);
    before_s = chunk.returned_s;
    hear({.worker = chunk.worker,
          .chunk = chunk.chunk,
          .response_s = chunk.returned_s - since_s,
          .compute_s = chunk.ended_s - chunk.begun_s - chunk.waited_s,
          .waiting_s = chunk.waited_s},
         since_s);
  }
}

std::optional<LoopTimes> measured_times(const RunRecord& run) {
  IterationSpread spread;
  LineSums beside;
  replay(run, [&](const ChunkTimes& times, double) {
    spread.add(times.chunk.size, std::max(*times.compute_s, 0.0));
    beside.add(static_cast<double>(times.chunk.size), times.response_s - *times.compute_s - *times.waiting_s);
  });
  if (!(spread.mean_s() > 0)) return std::nullopt;
  return LoopTimes{spread.mean_s(), std::sqrt(spread.variance()), beside.rising_line().start};
}

double longest_rest_s(const Observations& seen, std::span<const WatchedChunk> chunks, double now_s) {
  constexpr double later = 0.25;
  const Observations::Expected expected(seen);
  double longest_s = 0;
  for (const WatchedChunk& one : chunks) {
    const bool says_how_far = one.done > 0;
    const double known_at_s = says_how_far ? one.said_s : one.since_s;
    const double silent_s = std::max(0.0, now_s - known_at_s);
    const double then_s = says_how_far
                              ? (known_at_s - one.since_s) * static_cast<double>(one.chunk.size - one.done) /
                                    static_cast<double>(one.done)
                              : expected.seconds(one.worker, one.chunk);
    double rest_s = std::max(then_s - silent_s, later * silent_s);
    if (one.queued > 0) rest_s += expected.seconds(one.worker, {one.chunk.end(), one.queued});
    longest_s = std::max(longest_s, rest_s);
  }
  return longest_s;
}

Eta::Eta(const SchedulerTable& schedulers, std::string spec, Index iterations, std::optional<LoopTimes> times)
    : schedulers_(schedulers), spec_(std::move(spec)), iterations_(iterations), times_(times) {}

void Eta::predict(const Observations& observations, double now_s) {
  if (!observations.has_any()) return;
  Scenario scenario = observations.scenario(iterations_, now_s);
  scenario.scatter = {};
  FarmSimulation simulation(scenario,
                            schedulers_.make(spec_, {.iterations = iterations_,
                                                     .workers = static_cast<Index>(observations.workers()),
                                                     .times = times_}));
  simulation.on_chunk([this](const ChunkRecord& chunk) { add_step(chunk); });
  steps_.assign(1, Step{});
  last_ = {};
  chunks_ = 0;
  each_ = 1;
  simulation.run();
  steps_.push_back(last_);
}

void Eta::add_step(const ChunkRecord& chunk) {
  constexpr std::size_t most_steps = 8192;
  if (chunk.is_duplicate) return;
  last_ = {chunk.returned_s, last_.done + chunk.chunk.size};
  if (++chunks_ % each_ != 0) return;
  steps_.push_back(last_);
  if (steps_.size() < most_steps) return;
  for (std::size_t i = 0; 2 * i < steps_.size(); ++i) steps_[i] = steps_[2 * i];
  steps_.resize(steps_.size() / 2);
  each_ *= 2;
}

std::optional<double> Eta::end_s(Index done, double done_s, double now_s) const {
  if (steps_.size() < 2) return std::nullopt;
  const auto step = std::ranges::lower_bound(steps_, done, {}, &Step::done);
  const auto next = std::ranges::upper_bound(steps_, done, {}, &Step::done);
  const double end_s = steps_.back().at_s;
  double late_s = done_s - (step == steps_.end() ? end_s : step->at_s);
  // What should have come by now, and has not, is as late at least.
  if (next != steps_.end()) late_s = std::max(late_s, now_s - next->at_s);
  return end_s + late_s;
}

}  // namespace loadshare::predictor
