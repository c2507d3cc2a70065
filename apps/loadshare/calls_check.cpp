#include "apps/loadshare/calls_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>
#include <tuple>

#include "models/messages/fits/interpolated.hpp"

namespace loadshare::tool {
namespace {

using calibration::Calibration;
using calibration::CollectiveSeries;
using calibration::RootedSeries;
using calibration::Spread;
using communication::CollectiveModel;
using communication::Estimate;
using communication::MemberTime;

using Known = std::set<std::tuple<std::string, int, Index>>;

template <class Series>
void add_sizes(const std::vector<Series>& all, Known& known) {
  for (const Series& series : all) known.insert({series.call, series.ranks, series.bytes});
}

void check(const CollectiveSeries& series, const CollectiveModel& model, std::vector<CheckedCall>& calls) {
  const auto time = model.time(series.call, series.ranks, static_cast<double>(series.bytes));
  if (time && !time->is_extrapolated)
    calls.push_back({series.call, series.ranks, "all", "last", series.bytes,
                     communication::trimmed_mean(series.seconds), time->seconds});
}

double awaited_s(const std::vector<double>& begun_s, const MemberTime& time) {
  double last_s = -std::numeric_limits<double>::infinity();
  for (const int other : time.awaited) last_s = std::max(last_s, begun_s[static_cast<std::size_t>(other)]);
  return last_s;
}

/// Its stays since its own start, and since the last it waits for, each where it leaves by that.
void check_rank(const RootedSeries& series, std::size_t rank, const MemberTime& time,
                std::vector<CheckedCall>& calls) {
  std::vector<double> since_own_s, since_awaited_s;
  for (std::size_t i = 0; i < series.begun_s.size(); ++i) {
    const double own_s = series.begun_s[i][rank], last_s = awaited_s(series.begun_s[i], time);
    const double ended_s = series.ended_s[i][rank];
    if (time.awaited.empty() || own_s + time.after_own.seconds >= last_s + time.after_awaited.seconds)
      since_own_s.push_back(ended_s - own_s);
    else
      since_awaited_s.push_back(ended_s - last_s);
  }
  const auto add = [&](const char* after, const std::vector<double>& stays_s, const Estimate& time_s) {
    if (stays_s.empty() || time_s.is_extrapolated) return;
    const double mean_s = communication::trimmed_mean(stays_s);
    if (mean_s > 0)  // it may wait for others than it did then
      calls.push_back({series.call, series.ranks, rank == 0 ? "root" : fmt::format("rank {}", rank), after,
                       series.bytes, mean_s, time_s.seconds});
  };
  add("own", since_own_s, time.after_own);
  add("awaited", since_awaited_s, time.after_awaited);
}

void check(const RootedSeries& series, const CollectiveModel& model, std::vector<CheckedCall>& calls) {
  const auto times = model.times_by_member(series.call, series.ranks, static_cast<double>(series.bytes));
  if (!times) return;
  for (std::size_t rank = 0; rank < times->size(); ++rank) check_rank(series, rank, (*times)[rank], calls);
}

}  // namespace

std::vector<CheckedCall> checked_calls(const Calibration& fitted, const Calibration& measured,
                                       Index least_bytes, Index most_bytes) {
  Known known;
  add_sizes(fitted.collectives, known);
  add_sizes(fitted.rooted_calls, known);
  std::vector<CheckedCall> calls;
  for (const Spread spread : {Spread::one_host, Spread::a_host_each}) {
    const CollectiveModel model(collective_samples_of(fitted, spread), rooted_samples_of(fitted, spread));
    const auto check_all = [&](const auto& all) {
      for (const auto& series : all)
        if (series.bytes >= least_bytes && series.bytes <= most_bytes && lie_so(measured, series, spread) &&
            !known.contains({series.call, series.ranks, series.bytes}))
          check(series, model, calls);
    };
    check_all(measured.collectives);
    check_all(measured.rooted_calls);
  }
  return calls;
}

}  // namespace loadshare::tool
