#include "apps/loadshare/survey/busy_time.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "models/granularity/spread.hpp"

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

}  // namespace

MeasuredSpeed speed_of(std::span<const BusyStamp> stamps, double operations_each) {
  std::vector<double> all;
  for (std::size_t i = 1; i < stamps.size(); ++i)
    if (const double cpu_s = stamps[i].cpu_s - stamps[i - 1].cpu_s; cpu_s > 0)
      all.push_back(operations_each / cpu_s / 1e9);
  if (all.empty()) return {};
  using granularity::quantile_of;
  return {granularity::median_of(all), quantile_of(all, 0.05), quantile_of(all, 0.95),
          static_cast<Index>(all.size())};
}

double busy_share(std::span<const BusyStamp> stamps, const std::optional<predictor::Grant>& grant) {
  const double share = grant ? share_of_turns(stamps) : share_between(stamps.front(), stamps.back());
  return std::clamp(share, least_share, 1.0);
}

double turn_error(const predictor::Grant& grant, double seconds) {
  const double turn_s = std::max(grant.tick_s, grant.share * grant.period_s);
  return turn_s / (grant.share * seconds);
}

double available_of(double busy, const std::optional<predictor::Grant>& grant) {
  return std::min(1.0, grant ? busy / grant->share : busy);
}

std::optional<predictor::Grant> grant_of_one(const predictor::Grant& of_all, int ranks) {
  predictor::Grant own = of_all;
  own.share /= std::max(1, ranks);
  return own.share < 1 ? std::optional(own) : std::nullopt;
}

}  // namespace loadshare::tool
