#include "models/predictor/loop_fit.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "models/predictor/delivered_share.hpp"
#include "schedulers/error.hpp"

namespace loadshare::predictor {

namespace {

/// A chunk as the fit sees it.
struct Observation {
  std::size_t run = 0;
  std::string host;
  double share = 1;
  int width = 0;  // number of its class, two an octave
  Index size = 0;
  double work = 0;
  double seconds = 0;
  bool is_wall_time = false;
};

int width_class(Index size) {
  return static_cast<int>(std::lround(2 * std::log2(static_cast<double>(size))));
}

/// Where computing does not want the processor (it sleeps), its processor time tells nothing.
bool counts_wall_time(const RankRecord& rank, double cpu_s) {
  return rank.stolen_s == 0 && rank.computing_s > 2 * cpu_s;
}

std::map<WorkerId, double> cpu_by_worker(const RunRecord& run) {
  std::map<WorkerId, double> sums;
  for (const ChunkRecord& chunk : run.chunks) sums[chunk.worker] += chunk.cpu_s;
  return sums;
}

void add_observations(const RunRecord& run, std::size_t number, std::vector<Observation>& observations) {
  const LoopCost work = loop_cost(run.iterations, run.loop ? run.loop->work : std::vector<double>{}, 1);
  const std::map<WorkerId, double> cpu_s = cpu_by_worker(run);
  for (const RankRecord& rank : run.ranks) {
    if (!rank.worker || !cpu_s.contains(*rank.worker)) continue;
    const bool by_wall = counts_wall_time(rank, cpu_s.at(*rank.worker));
    for (const ChunkRecord& chunk : run.chunks) {
      if (chunk.worker != *rank.worker) continue;
      const double seconds = by_wall ? chunk.ended_s - chunk.begun_s : chunk.cpu_s;
      const double of_chunk = work.seconds(chunk.chunk);
      if (seconds > 0 && of_chunk > 0)
        observations.push_back({number, rank.host, rank.capacity, width_class(chunk.chunk.size), chunk.chunk.size,
                          of_chunk, seconds, by_wall});
    }
  }
}

/// What chunks of one kind took together, and what a model says they should.
struct Sum {
  double seconds = 0;
  double expected = 0;
  double sizes = 0;
  Index count = 0;

  double ratio() const { return seconds / expected; }
};

/// Factors by width class for each share, speeds by host: fitted in turns, each of what the other leaves.
struct TwoWayFit {
  std::map<double, std::map<int, Sum>> widths;
  std::map<std::string, double> slowness;

  double factor(const Observation& one) const { return widths.at(one.share).at(one.width).ratio(); }
  double slowness_of(const std::string& host) const {
    const auto found = slowness.find(host);
    return found == slowness.end() ? 1 : found->second;
  }
  double expected(const Observation& one) const { return one.work * factor(one) * slowness_of(one.host); }

  void fit_widths(const std::vector<Observation>& observations) {
    widths.clear();
    for (const Observation& one : observations) {
      Sum& sum = widths[one.share][one.width];
      sum.seconds += one.seconds;
      sum.expected += one.work * slowness_of(one.host);
      sum.sizes += static_cast<double>(one.size);
      ++sum.count;
    }
  }
  void fit_hosts(const std::vector<Observation>& observations) {
    std::map<std::string, Sum> sums;
    for (const Observation& one : observations) {
      sums[one.host].seconds += one.seconds;
      sums[one.host].expected += one.work * factor(one);
    }
    for (const auto& [host, sum] : sums) slowness[host] = sum.ratio();
  }
};

TwoWayFit fit_two_ways(const std::vector<Observation>& observations) {
  constexpr int turns = 8;
  TwoWayFit fit;
  for (int turn = 0; turn < turns; ++turn) {
    fit.fit_widths(observations);
    fit.fit_hosts(observations);
  }
  fit.fit_widths(observations);
  return fit;
}

WidthFactor factor_of(const std::map<int, Sum>& widths, double reference) {
  std::vector<WidthFactor::Point> points;
  for (const auto& [width, sum] : widths) {
    const auto size = static_cast<Index>(std::lround(sum.sizes / static_cast<double>(sum.count)));
    points.push_back({std::max<Index>(1, size), sum.ratio() / reference});
  }
  return WidthFactor(std::move(points));
}

double standard_deviation(const std::vector<double>& values) {
  if (values.size() < 2) return 0;
  double mean = 0, squares = 0;
  for (const double value : values) mean += value / static_cast<double>(values.size());
  for (const double value : values) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

std::map<std::size_t, Sum> sums_by_run(const std::vector<Observation>& observations, const TwoWayFit& fit) {
  std::map<std::size_t, Sum> runs;
  for (const Observation& one : observations) {
    runs[one.run].seconds += one.seconds;
    runs[one.run].expected += fit.expected(one);
  }
  return runs;
}

double chunk_deviation(const std::vector<Observation>& observations, const TwoWayFit& fit) {
  const std::map<std::size_t, Sum> runs = sums_by_run(observations, fit);
  std::vector<double> logarithms;
  for (const Observation& one : observations)
    logarithms.push_back(std::log(one.seconds / fit.expected(one) / runs.at(one.run).ratio()));
  return standard_deviation(logarithms);
}

double run_deviation(const std::vector<Observation>& observations, const TwoWayFit& fit) {
  std::vector<double> logarithms;
  for (const auto& [run, sum] : sums_by_run(observations, fit)) logarithms.push_back(std::log(sum.ratio()));
  return standard_deviation(logarithms) * std::sqrt(1 + 1 / static_cast<double>(logarithms.size()));
}

}  // namespace

LoopCost loop_cost(Index iterations, const std::vector<double>& work, double seconds_per_work) {
  if (work.empty()) return LoopCost::uniform(iterations, seconds_per_work);
  const Index part = LoopRecord::part_of(iterations);
  std::vector<LoopCost::Bin> bins;
  for (Index first = 0; first < iterations && bins.size() < work.size(); first += part)
    bins.push_back({std::min(part, iterations - first), work[bins.size()] * seconds_per_work});
  return LoopCost::profile(std::move(bins));
}

const LoopFit::OfShare& LoopFit::of_share(double share) const {
  return *std::ranges::min_element(
      factors, {}, [share](const OfShare& of) { return std::abs(std::log(of.share / share)); });
}

double relative_cost(const LoopFit& fit, const RunRecord& run) {
  std::vector<Observation> observations;
  add_observations(run, 0, observations);
  Sum sum;
  for (const Observation& one : observations) {
    const auto speed = fit.speeds.find(one.host);
    sum.seconds += one.seconds;
    sum.expected += one.work * fit.seconds_per_work * fit.of_share(one.share).factor.at(one.size) /
                    (speed == fit.speeds.end() ? 1 : speed->second);
  }
  return sum.expected > 0 ? sum.ratio() : 1;
}

LoopFit fit_loop(std::span<const RunRecord> runs) {
  std::vector<Observation> observations;
  for (std::size_t i = 0; i < runs.size(); ++i) add_observations(runs[i], i, observations);
  if (observations.empty())
    throw UsageError("no run tells what an iteration costs", "none of them has timed chunks",
                     "make one with --json whose chunks take more than some microseconds");
  const TwoWayFit two = fit_two_ways(observations);
  LoopFit fit;
  const auto& of_largest_share = two.widths.rbegin()->second;
  fit.seconds_per_work = of_largest_share.rbegin()->second.ratio();
  for (auto of = two.widths.rbegin(); of != two.widths.rend(); ++of)
    fit.factors.push_back({of->first, factor_of(of->second, fit.seconds_per_work), 1});
  for (const auto& [share, delivered] : delivered_shares(runs))
    for (LoopFit::OfShare& of : fit.factors)
      if (of.share == share) of.delivered = delivered;
  for (const auto& [host, slowness] : two.slowness) fit.speeds[host] = 1 / slowness;
  fit.chunk_deviation = chunk_deviation(observations, two);
  fit.run_deviation = run_deviation(observations, two);
  fit.runs = runs.size();
  fit.waits = std::ranges::all_of(observations, &Observation::is_wall_time);
  const auto [narrowest, widest] = std::ranges::minmax_element(observations, {}, &Observation::size);
  fit.narrowest = narrowest->size;
  fit.widest = widest->size;
  return fit;
}

}  // namespace loadshare::predictor
