#include "models/farm/loop_fit.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/error.hpp"
#include "base/statistics.hpp"

namespace loadshare::predictor {
namespace {

/// A chunk's processor time, and the time it took in all.
struct Taken {
  double cpu_s = 0;
  double wall_s = 0;
};

void add_chunks(const RunRecord& run, std::map<double, std::vector<Taken>>& by_share) {
  for (const RankRecord& rank : run.ranks) {
    if (rank.role != Role::worker || !rank.worker || rank.capacity >= 1) continue;
    for (const ChunkRecord& chunk : run.chunks)
      if (chunk.worker == *rank.worker && chunk.begun_s >= run.shared_input_s && chunk.cpu_s > 0)
        by_share[rank.capacity].push_back({chunk.cpu_s, chunk.ended_s - chunk.begun_s});
  }
}

bool tells_a_slope(const std::vector<Taken>& chunks) {
  constexpr std::size_t fewest = 10;
  constexpr double least_spread = 3;
  const auto [least, most] = std::ranges::minmax_element(chunks, {}, &Taken::cpu_s);
  return chunks.size() >= fewest && most->cpu_s >= least_spread * least->cpu_s;
}

/// By least squares.
double slope_of(const std::vector<Taken>& chunks) {
  double x = 0, y = 0, xx = 0, xy = 0;
  for (const Taken& chunk : chunks) {
    x += chunk.cpu_s;
    y += chunk.wall_s;
    xx += chunk.cpu_s * chunk.cpu_s;
    xy += chunk.cpu_s * chunk.wall_s;
  }
  const auto n = static_cast<double>(chunks.size());
  return (n * xy - x * y) / (n * xx - x * x);
}

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
        observations.push_back({number, rank.host, rank.capacity, width_class(chunk.chunk.size),
                                chunk.chunk.size, of_chunk, seconds, by_wall});
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

/// Factors by width class for each share, by host, and by run: fitted in turns, each of what the others
/// leave. The middle run has the factor 1, so that a run in which others had the machine decides nothing.
struct ThreeWayFit {
  std::map<double, std::map<int, Sum>> widths;
  std::map<std::string, double> hosts;
  std::map<std::size_t, double> runs;

  double width_factor(const Observation& one) const { return widths.at(one.share).at(one.width).ratio(); }
  double host_factor(const Observation& one) const { return factor_in(hosts, one.host); }
  double run_factor(const Observation& one) const { return factor_in(runs, one.run); }
  /// In a run as slow as the middle one.
  double expected(const Observation& one) const { return one.work * width_factor(one) * host_factor(one); }

  void fit_widths(const std::vector<Observation>& observations) {
    widths.clear();
    for (const Observation& one : observations) {
      Sum& sum = widths[one.share][one.width];
      sum.seconds += one.seconds / run_factor(one);
      sum.expected += one.work * host_factor(one);
      sum.sizes += static_cast<double>(one.size);
      ++sum.count;
    }
  }
  void fit_hosts(const std::vector<Observation>& observations) {
    std::map<std::string, Sum> sums;
    for (const Observation& one : observations) {
      sums[one.host].seconds += one.seconds / run_factor(one);
      sums[one.host].expected += one.work * width_factor(one);
    }
    for (const auto& [host, sum] : sums) hosts[host] = sum.ratio();
  }
  void fit_runs(const std::vector<Observation>& observations) {
    std::map<std::size_t, Sum> sums;
    for (const Observation& one : observations) {
      sums[one.run].seconds += one.seconds;
      sums[one.run].expected += expected(one);
    }
    std::vector<double> ratios;
    for (const auto& [run, sum] : sums) ratios.push_back(sum.ratio());
    const double middle = median_of(ratios);
    for (const auto& [run, sum] : sums) runs[run] = sum.ratio() / middle;
  }

 private:
  template <typename Key>
  static double factor_in(const std::map<Key, double>& factors, const Key& key) {
    const auto found = factors.find(key);
    return found == factors.end() ? 1 : found->second;
  }
};

ThreeWayFit fit_three_ways(const std::vector<Observation>& observations) {
  constexpr int rounds = 4;
  constexpr int turns = 6;
  ThreeWayFit fit;
  // What widths and hosts explain is not the run's: where each run has a width of its own, these tell apart.
  for (int round = 0; round < rounds; ++round) {
    for (int turn = 0; turn < turns; ++turn) {
      fit.fit_widths(observations);
      fit.fit_hosts(observations);
    }
    fit.fit_widths(observations);
    fit.fit_runs(observations);
  }
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

/// By width class: how chunks of about that width scatter, as the middle two thirds of them tell; those
/// during which others had the machine decide nothing.
struct ClassScatter {
  double size = 1;
  double variance = 0;
  double count = 0;
};

std::vector<ClassScatter> class_scatters(const std::vector<Observation>& observations,
                                         const ThreeWayFit& fit) {
  struct OfClass {
    std::vector<double> logarithms;
    double sizes = 0;
  };
  std::map<int, OfClass> classes;
  for (const Observation& one : observations) {
    OfClass& of = classes[one.width];
    of.logarithms.push_back(std::log(one.seconds / fit.expected(one) / fit.run_factor(one)));
    of.sizes += static_cast<double>(one.size);
  }
  constexpr std::size_t fewest = 4;
  std::vector<ClassScatter> scatters;
  for (const auto& [width, of] : classes) {
    if (of.logarithms.size() < fewest) continue;
    const double deviation = middle_deviation_of(of.logarithms);
    const auto count = static_cast<double>(of.logarithms.size());
    scatters.push_back({of.sizes / count, deviation * deviation, count});
  }
  return scatters;
}

/// Least squares of variance = a + b / size over the classes, neither negative.
ChunkScatter scatter_of(const std::vector<ClassScatter>& classes) {
  LineSums sums;
  for (const ClassScatter& one : classes) sums.add(1 / one.size, one.variance, one.count);
  if (sums.n == 0) return {};
  const Line line = sums.rising_line();
  return {line.start, line.slope};
}

/// How much wider the middle 9 of 10 of a further value are than those of a normal distribution whose
/// deviation is that of `count` >= 2 values: Student's t, and the mean's own deviation.
double widening(std::size_t count) {
  return students_t_over_normal(count - 1) * std::sqrt(1 + 1 / static_cast<double>(count));
}

double run_deviation(const ThreeWayFit& fit) {
  std::vector<double> logarithms;
  for (const auto& [run, factor] : fit.runs) logarithms.push_back(std::log(factor));
  if (logarithms.size() < 2) return 0;
  return standard_deviation_of(logarithms) * widening(logarithms.size());
}

}  // namespace

std::map<double, double> cpu_efficiencies(std::span<const RunRecord> runs) {
  std::map<double, std::vector<double>> slopes;
  for (const RunRecord& run : runs) {
    if (run.load) continue;
    std::map<double, std::vector<Taken>> by_share;
    add_chunks(run, by_share);
    for (const auto& [share, chunks] : by_share)
      if (tells_a_slope(chunks)) slopes[share].push_back(slope_of(chunks));
  }
  constexpr double least = 0.5;
  std::map<double, double> efficiencies;
  for (const auto& [share, of_runs] : slopes)
    efficiencies[share] = std::clamp(1 / (share * median_of(of_runs)), least, 1.0);
  return efficiencies;
}

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
  const ThreeWayFit ways = fit_three_ways(observations);
  LoopFit fit;
  const auto& of_largest_share = ways.widths.rbegin()->second;
  fit.seconds_per_work = of_largest_share.rbegin()->second.ratio();
  for (auto of = ways.widths.rbegin(); of != ways.widths.rend(); ++of)
    fit.factors.push_back({of->first, factor_of(of->second, fit.seconds_per_work), 1});
  for (const auto& [share, cpu_efficiency] : cpu_efficiencies(runs))
    for (LoopFit::OfShare& of : fit.factors)
      if (of.share == share) of.cpu_efficiency = cpu_efficiency;
  for (const auto& [host, slowness] : ways.hosts) fit.speeds[host] = 1 / slowness;
  fit.scatter = scatter_of(class_scatters(observations, ways));
  fit.run_deviation = run_deviation(ways);
  fit.runs = runs.size();
  fit.waits = std::ranges::all_of(observations, &Observation::is_wall_time);
  const auto [narrowest, widest] = std::ranges::minmax_element(observations, {}, &Observation::size);
  fit.narrowest = narrowest->size;
  fit.widest = widest->size;
  return fit;
}

}  // namespace loadshare::predictor
