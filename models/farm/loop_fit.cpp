#include "models/farm/loop_fit.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include "base/error.hpp"
#include "base/statistics.hpp"

namespace loadshare::predictor {
namespace {

/// What a chunk should cost, its processor time, and the time it took in all.
struct Taken {
  double expected_s = 0;
  double cpu_s = 0;
  double wall_s = 0;
};

void add_chunks(const RunRecord& run, const ExpectedCost& expected_s,
                std::map<double, std::vector<Taken>>& by_share) {
  // A shorter one ends with what was granted while its host waited for it, or in the middle of a turn.
  constexpr double fewest_periods = 10;
  for (const RankRecord& rank : run.ranks) {
    if (rank.role != Role::worker || !rank.worker || rank.capacity >= 1 || waiting_share(rank) > 0) continue;
    for (const ChunkRecord& chunk : run.chunks) {
      const double wall_s = chunk.ended_s - chunk.begun_s;
      if (chunk.worker == *rank.worker && chunk.begun_s >= run.shared_input_s && chunk.cpu_s > 0 &&
          wall_s >= fewest_periods * rank.limit_period_s)
        by_share[rank.capacity].push_back({expected_s(chunk.chunk), chunk.cpu_s, wall_s});
    }
  }
}

bool tells_a_slope(const std::vector<Taken>& chunks) {
  constexpr std::size_t fewest = 10;
  constexpr double least_spread = 2.5;
  const auto [least, most] = std::ranges::minmax_element(chunks, {}, &Taken::expected_s);
  return chunks.size() >= fewest && most->expected_s >= least_spread * least->expected_s;
}

/// Of wall by processor time, as far as both follow what is expected: of two chunks that are alike the one
/// that was stopped once more takes more of both, which by least squares would make stops look dear
/// (instrumental variables).
double slope_of(const std::vector<Taken>& chunks) {
  double e = 0, x = 0, y = 0, ex = 0, ey = 0;
  for (const Taken& chunk : chunks) {
    e += chunk.expected_s;
    x += chunk.cpu_s;
    y += chunk.wall_s;
    ex += chunk.expected_s * chunk.cpu_s;
    ey += chunk.expected_s * chunk.wall_s;
  }
  const auto n = static_cast<double>(chunks.size());
  return (n * ey - e * y) / (n * ex - e * x);
}

/// The wall time of a chunk beyond its processor time.
double beyond_cpu_s(const ChunkRecord& chunk) {
  return std::max(0.0, chunk.ended_s - chunk.begun_s - chunk.waited_s - chunk.cpu_s);
}

using ChunksByWorker = std::map<WorkerId, std::vector<const ChunkRecord*>>;

ChunksByWorker chunks_by_worker(const RunRecord& run) {
  ChunksByWorker chunks;
  for (const ChunkRecord& chunk : run.chunks) chunks[chunk.worker].push_back(&chunk);
  return chunks;
}

double each(double seconds, const ChunkRecord& chunk) {
  return seconds / static_cast<double>(chunk.chunk.size);
}

/// The longest wait of an iteration for which the waits of all chunks add up to `waited_s`. No chunk waits
/// for longer than its wall time exceeds its processor time.
double longest_wait_s(std::vector<const ChunkRecord*> chunks, double waited_s) {
  std::ranges::sort(chunks, {}, [](const ChunkRecord* chunk) { return each(beyond_cpu_s(*chunk), *chunk); });
  double iterations = 0;
  for (const ChunkRecord* chunk : chunks) iterations += static_cast<double>(chunk->chunk.size);
  for (const ChunkRecord* chunk : chunks) {
    if (each(beyond_cpu_s(*chunk), *chunk) * iterations >= waited_s) return waited_s / iterations;
    waited_s -= beyond_cpu_s(*chunk);
    iterations -= static_cast<double>(chunk->chunk.size);
  }
  return std::numeric_limits<double>::infinity();
}

/// The part of a rank's iterations that the chunks of the record have.
double listed_share(const RankRecord& rank, const std::vector<const ChunkRecord*>& chunks) {
  Index iterations = 0;
  for (const ChunkRecord* chunk : chunks) iterations += chunk->chunk.size;
  return iterations < rank.iterations ? static_cast<double>(iterations) / static_cast<double>(rank.iterations)
                                      : 1;
}

/// How long an iteration of a rank waited at most. The wall time of its chunks exceeds their processor time
/// for two reasons. Bodies waited, as long as the rank's account says; that is part of an iteration's cost.
/// Other programs, a load or a limit had the processor; that made some chunks longer than most. All of it is
/// waiting if the loop declares that it does not use the processor, so that its wall time is recorded as
/// computing.
double longest_wait_s(const RankRecord& rank, const std::vector<const ChunkRecord*>& chunks) {
  double cpu_s = 0;
  for (const ChunkRecord* chunk : chunks) cpu_s += chunk->cpu_s;
  const double share = listed_share(rank, chunks);
  if (rank.stolen_s == 0 && share * rank.computing_s > 2 * cpu_s)
    return std::numeric_limits<double>::infinity();
  return waiting_share(rank) > 0 ? longest_wait_s(chunks, share * at_host_speed(rank).waiting_s) : 0;
}

/// What a chunk cost, and on whom.
struct Observation {
  ChunkCost cost;
  std::string host;
  double share = 1;
  double waited_s = 0;  ///< the part of the cost in which the body waited
};

/// While the shared input comes, the kernel takes it in on the processors that compute, and the input is new
/// to their caches: chunks of the lab took up to 1.8 times as much then. How much of that goes into one of
/// them is not known, so it tells little where others tell of the same iterations.
double doubt_of(const ChunkRecord& chunk, double shared_input_s) {
  constexpr double of_all_meanwhile = 0.3;
  const double computed_from_s = chunk.begun_s + chunk.waited_s;
  const double chunk_s = chunk.ended_s - computed_from_s;
  if (computed_from_s >= shared_input_s || !(chunk_s > 0)) return 0;
  return of_all_meanwhile * std::min(1.0, (shared_input_s - computed_from_s) / chunk_s);
}

void add_observations(const RunRecord& run, std::size_t number, std::vector<Observation>& observations) {
  const ChunksByWorker chunks = chunks_by_worker(run);
  for (const RankRecord& rank : run.ranks) {
    if (!rank.worker || !chunks.contains(*rank.worker)) continue;
    const std::vector<const ChunkRecord*>& own = chunks.at(*rank.worker);
    const double longest_s = longest_wait_s(rank, own);
    for (const ChunkRecord* chunk : own) {
      const double waited_s =
          std::min(beyond_cpu_s(*chunk), longest_s * static_cast<double>(chunk->chunk.size));
      const double seconds = chunk->cpu_s + waited_s;
      if (seconds > 0)
        observations.push_back({{.chunk = chunk->chunk,
                                 .seconds = seconds,
                                 .run = number,
                                 .doubt = doubt_of(*chunk, run.shared_input_s)},
                                rank.host,
                                rank.capacity,
                                waited_s});
    }
  }
}

/// The different ones, in order.
template <typename T>
std::vector<T> kinds_of(const std::vector<Observation>& observations, T Observation::*of, auto order) {
  std::vector<T> kinds;
  for (const Observation& one : observations) kinds.push_back(one.*of);
  std::ranges::sort(kinds, order);
  const auto [first, last] = std::ranges::unique(kinds);
  kinds.erase(first, last);
  return kinds;
}

std::size_t number_in(const auto& kinds, const auto& kind) {
  return static_cast<std::size_t>(std::ranges::find(kinds, kind) - kinds.begin());
}

/// How much wider the middle 9 of 10 of a further value are than those of a normal distribution whose
/// deviation is that of `count` >= 2 values: Student's t, and the mean's own deviation.
double widening(std::size_t count) {
  return students_t_over_normal(count - 1) * std::sqrt(1 + 1 / static_cast<double>(count));
}

/// No less than usual: repetitions of one technique do not tell how far the runs of another are, whose chunks
/// find other neighbours.
double run_deviation_of(const std::vector<double>& logarithms) {
  if (logarithms.size() < 2) return usual_run_deviation;
  return std::max(usual_run_deviation, standard_deviation_of(logarithms) * widening(logarithms.size()));
}

/// Every other chunk of each run, by its place in the loop, is fitted; what the rest then should take is held
/// against what they took.
std::string refutation_of(CostObservations all, const CostLaws& laws) {
  constexpr std::size_t fewest = 8;
  constexpr double tolerance = 0.1, deviations = 5;
  if (all.chunks.size() < fewest) return "";
  std::ranges::sort(all.chunks, {}, [](const ChunkCost& one) { return std::pair(one.run, one.chunk.first); });
  std::vector<ChunkCost> fitted, others;
  for (const ChunkCost& one : all.chunks) (fitted.size() <= others.size() ? fitted : others).push_back(one);
  all.chunks = std::move(fitted);
  const CostProfile::Expected expected = CostProfile(all, laws).expected(others);
  double seconds = 0;
  for (const ChunkCost& one : others) seconds += one.seconds;
  const double off = std::log(seconds / expected.seconds);
  if (std::abs(off) < std::max(tolerance, deviations * expected.deviation)) return "";
  return "half of the chunks took " + std::to_string(std::lround(100 * seconds / expected.seconds)) +
         " % of the time that the other half predicts";
}

double waiting_share_of(const std::vector<Observation>& observations) {
  double seconds = 0, waited_s = 0;
  for (const Observation& one : observations) {
    seconds += one.cost.seconds;
    waited_s += one.waited_s;
  }
  return waited_s / seconds;
}

double cost_of(const LoopFit& fit, const std::string& host, double share, const Chunk& chunk) {
  const auto speed = fit.speeds.find(host);
  const LoopFit::OfShare& of = fit.of_share(share);
  return fit.cost.seconds(chunk) * of.factor.at(chunk.size) * of.slowness /
         (speed == fit.speeds.end() ? 1 : speed->second);
}

void take(LoopFit& fit, const CostDraw& draw) {
  fit.cost = draw.loop.stretched(fit.cost.iterations());
  for (std::size_t i = 0; i < fit.factors.size(); ++i) {
    fit.factors[i].factor = draw.widths[i];
    fit.factors[i].slowness = draw.share_slowness[i];
  }
  for (std::size_t i = 0; i < fit.hosts.size(); ++i) fit.speeds[fit.hosts[i]] = 1 / draw.host_slowness[i];
  fit.scatter = draw.scatter;
}

}  // namespace

std::map<double, double> cpu_efficiencies(std::span<const RunRecord> runs, const ExpectedCost& expected_s) {
  std::map<double, std::vector<double>> slopes;
  for (const RunRecord& run : runs) {
    if (run.load) continue;
    std::map<double, std::vector<Taken>> by_share;
    add_chunks(run, expected_s, by_share);
    for (const auto& [share, chunks] : by_share)
      if (tells_a_slope(chunks)) slopes[share].push_back(slope_of(chunks));
  }
  constexpr double least = 0.5;
  std::map<double, double> efficiencies;
  for (const auto& [share, of_runs] : slopes)
    if (const double slope = median_of(of_runs); slope > 0)
      efficiencies[share] = std::clamp(1 / (share * slope), least, 1.0);
  return efficiencies;
}

const LoopFit::OfShare& LoopFit::of_share(double share) const {
  return *std::ranges::min_element(
      factors, {}, [share](const OfShare& of) { return std::abs(std::log(of.share / share)); });
}

LoopFit LoopFit::drawn(std::uint64_t number) const {
  LoopFit fit = *this;
  if (profile) take(fit, profile->drawn(number));
  return fit;
}

double computing_s(const LoopFit& fit, const RankRecord& rank, const Chunk& chunk) {
  const double cost_s = cost_of(fit, rank.host, rank.capacity, chunk);
  return fit.waits ? cost_s
                   : cost_s / (std::min(rank.capacity, 1.0) * fit.of_share(rank.capacity).cpu_efficiency);
}

double relative_cost(const LoopFit& fit, const RunRecord& run) {
  std::vector<Observation> observations;
  add_observations(run, 0, observations);
  double seconds = 0, expected_s = 0;
  for (const auto& [cost, host, share, waited_s] : observations) {
    seconds += cost.seconds;
    expected_s += cost_of(fit, host, share, cost.chunk);
  }
  return expected_s > 0 ? seconds / expected_s : 1;
}

LoopFit fit_loop(std::span<const RunRecord> runs) {
  std::vector<Observation> observations;
  for (std::size_t i = 0; i < runs.size(); ++i) add_observations(runs[i], i, observations);
  if (observations.empty())
    throw UsageError("no run shows what an iteration costs", "none has timed chunks",
                     "record a run with --json whose chunks take more than a few microseconds");
  LoopFit fit;
  const std::vector<double> shares = kinds_of(observations, &Observation::share, std::greater<>());
  fit.hosts = kinds_of(observations, &Observation::host, std::less<>());
  const RunRecord& first = runs.front();
  CostObservations all{first.iterations,
                       first.loop ? first.loop->work : std::vector<double>{},
                       {},
                       fit.hosts.size(),
                       shares.size(),
                       runs.size()};
  for (Observation& one : observations) {
    one.cost.share = number_in(shares, one.share);
    one.cost.host = number_in(fit.hosts, one.host);
    all.chunks.push_back(one.cost);
  }
  fit.profile = std::make_shared<const CostProfile>(all);
  fit.cost = LoopCost::uniform(first.iterations, 1);
  for (const double share : shares) fit.factors.push_back({share, {}, 1, 1});
  take(fit, fit.profile->middle());
  const auto expected_s = [&fit](const Chunk& chunk) { return fit.cost.seconds(chunk); };
  for (const auto& [share, cpu_efficiency] : cpu_efficiencies(runs, expected_s))
    for (LoopFit::OfShare& of : fit.factors)
      if (of.share == share) of.cpu_efficiency = cpu_efficiency;
  fit.run_deviation = run_deviation_of(fit.profile->run_slowness());
  fit.runs = runs.size();
  fit.waiting_share = waiting_share_of(observations);
  constexpr double mostly = 0.5;
  fit.waits = fit.waiting_share > mostly;
  const auto size = [](const Observation& one) { return one.cost.chunk.size; };
  const auto [narrowest, widest] = std::ranges::minmax_element(observations, {}, size);
  fit.narrowest = size(*narrowest);
  fit.widest = size(*widest);
  fit.refutation = refutation_of(std::move(all), fit.profile->laws());
  return fit;
}

}  // namespace loadshare::predictor
