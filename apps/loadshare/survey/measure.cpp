#include "apps/loadshare/survey/measure.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>

#include "apps/loadshare/calibrate/calibrate.hpp"
#include "apps/loadshare/survey/speed_kernel.hpp"
#include "base/error.hpp"
#include "base/statistics.hpp"
#include "runtime/farm/rank_report.hpp"
#include "runtime/host/cgroup_quota.hpp"
#include "runtime/host/clock.hpp"

namespace loadshare::tool {
namespace {

constexpr double least_stop_s = 0.5e-3;  // longer than an interrupt, shorter than what a limit stops for
constexpr double least_part = 0.5;       // of the time: stops that lie together are no limit's
constexpr double least_share = 1e-6;     // who ran at all had something

/// Of each stop, the first stamp after it.
std::vector<std::size_t> ends_of_stops(std::span<const BusyStamp> stamps) {
  std::vector<std::size_t> ends;
  for (std::size_t i = 1; i < stamps.size(); ++i) {
    const double away_s = (stamps[i].time_s - stamps[i - 1].time_s) - (stamps[i].cpu_s - stamps[i - 1].cpu_s);
    if (away_s >= least_stop_s) ends.push_back(i);
  }
  return ends;
}

double share_between(const BusyStamp& first, const BusyStamp& last) {
  return (last.cpu_s - first.cpu_s) / (last.time_s - first.time_s);
}

double time_between(const BusyStamp& first, const BusyStamp& last) {
  return last.time_s - first.time_s;
}

double share_of_turns(std::span<const BusyStamp> stamps) {
  const double all = share_between(stamps.front(), stamps.back());
  const std::vector<std::size_t> ends = ends_of_stops(stamps);
  if (ends.empty()) return all;
  const BusyStamp& first = stamps[ends.front()];
  const BusyStamp& last = stamps[ends.back()];
  const bool is_enough =
      time_between(first, last) >= least_part * time_between(stamps.front(), stamps.back());
  return is_enough ? share_between(first, last) : all;
}

void sleep_until(double time_s, const std::atomic<bool>& is_interrupted) {
  constexpr double longest_nap_s = 0.05;
  for (double left_s = time_s - monotonic_s(); left_s > 0 && !is_interrupted; left_s = time_s - monotonic_s())
    std::this_thread::sleep_for(std::chrono::duration<double>(std::min(left_s, longest_nap_s)));
}

BusyStamp stamp() {
  return {monotonic_s(), thread_cpu_s()};
}

std::vector<BusyStamp> compute(SpeedKernel& kernel, double seconds, const std::atomic<bool>& is_interrupted) {
  kernel.compute();  // pages and code are there
  std::vector<BusyStamp> stamps{stamp()};
  const double end_s = stamps.front().time_s + seconds;
  do {
    kernel.compute();
    stamps.push_back(stamp());
  } while (stamps.back().time_s < end_s && !is_interrupted);
  return stamps;
}

std::optional<predictor::CpuQuota> grant_here(int local_ranks) {
  const std::optional<CpuLimit> limit = cgroup_cpu_limit();
  if (!limit) return std::nullopt;
  return grant_of_one({limit->processors, limit->period_s, kernel_tick_s()}, local_ranks);
}

}  // namespace

MeasuredSpeed speed_of(std::span<const BusyStamp> stamps, double operations_each) {
  std::vector<double> all;
  for (std::size_t i = 1; i < stamps.size(); ++i)
    if (const double cpu_s = stamps[i].cpu_s - stamps[i - 1].cpu_s; cpu_s > 0)
      all.push_back(operations_each / cpu_s / 1e9);
  if (all.empty()) return {};
  return {median_of(all), quantile_of(all, 0.05), quantile_of(all, 0.95), static_cast<Index>(all.size())};
}

double busy_share(std::span<const BusyStamp> stamps, const std::optional<predictor::CpuQuota>& grant) {
  const double share = grant ? share_of_turns(stamps) : share_between(stamps.front(), stamps.back());
  return std::clamp(share, least_share, 1.0);
}

double turn_error(const predictor::CpuQuota& grant, double seconds) {
  const double turn_s = std::max(grant.tick_s, grant.share * grant.period_s);
  return turn_s / (grant.share * seconds);
}

double available_of(double busy, const std::optional<predictor::CpuQuota>& grant) {
  return std::min(1.0, grant ? busy / grant->share : busy);
}

std::optional<predictor::CpuQuota> grant_of_one(const predictor::CpuQuota& of_all, int ranks) {
  predictor::CpuQuota own = of_all;
  own.share /= std::max(1, ranks);
  return own.share < 1 ? std::optional(own) : std::nullopt;
}

SurveyedRank describe_rank(int rank, int local_ranks) {
  const RankReport here = describe_process(rank);
  SurveyedRank described;
  described.rank = rank;
  described.host = here.host;
  described.cpus = here.cpus;
  described.system = kernel_release();
  described.grant = grant_here(local_ranks);
  return described;
}

void measure(const SurveyWindow& window, const std::atomic<bool>& is_interrupted, SurveyedRank& rank) {
  SpeedKernel kernel;
  sleep_until(window.begin_s, is_interrupted);
  const std::vector<BusyStamp> stamps = compute(kernel, window.seconds, is_interrupted);
  if (!kernel.is_right())
    throw Error(ExitCode::run_failed, "the processor of " + rank.host + " computes wrongly",
                "the same multiplications and additions gave another sum");
  rank.speed = speed_of(stamps, SpeedKernel::operations());
  rank.busy = busy_share(stamps, rank.grant);
  rank.available = available_of(rank.busy, rank.grant);
}

}  // namespace loadshare::tool
