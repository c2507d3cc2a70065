#include "apps/loadshare/survey/measure.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

#include "apps/loadshare/calibrate/launch_facts.hpp"
#include "apps/loadshare/survey/busy_time.hpp"
#include "apps/loadshare/survey/speed_kernel.hpp"
#include "runtime/farm/rank_report.hpp"
#include "runtime/host/cgroup_quota.hpp"
#include "runtime/host/kernel_tick.hpp"
#include "runtime/timing/clock.hpp"
#include "schedulers/error.hpp"

namespace loadshare::tool {
namespace {

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

std::optional<predictor::Grant> grant_here(int local_ranks) {
  const std::optional<CpuLimit> limit = cgroup_cpu_limit();
  if (!limit) return std::nullopt;
  return grant_of_one({limit->processors, limit->period_s, kernel_tick_s()}, local_ranks);
}

}  // namespace

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
