#include "apps/loadshare/calls_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "base/statistics.hpp"

namespace loadshare::tool {
namespace {

using calibration::Calibration;
using calibration::CollectiveSeries;
using calibration::RootedSeries;
using calibration::Spread;
using communication::CollectiveModel;
using communication::MemberTime;

using Known = std::set<std::tuple<std::string, int, Index>>;

template <class Series>
void add_sizes(const std::vector<Series>& all, Known& known) {
  for (const Series& series : all) known.insert({series.call, series.ranks, series.bytes});
}

void check(const CollectiveSeries& series, const CollectiveModel& model, std::vector<CheckedCall>& calls) {
  const auto time = model.time(series.call, series.ranks, static_cast<double>(series.bytes));
  if (time && !time->is_extrapolated)
    calls.push_back(
        {series.call, series.ranks, "all", series.bytes, median_of(series.seconds), time->seconds});
}

/// What the rank's stay in each call was, and what it would have been, behind the last it waits for.
CheckedCall check_rank(const RootedSeries& series, std::size_t rank, const MemberTime& time) {
  std::vector<double> measured_s, predicted_s;
  for (std::size_t i = 0; i < series.begun_s.size(); ++i) {
    const double own_s = series.begun_s[i][rank];
    double awaited_s = own_s;
    if (!time.awaited.empty()) awaited_s = series.begun_s[i][static_cast<std::size_t>(time.awaited.front())];
    for (const int other : time.awaited)
      awaited_s = std::max(awaited_s, series.begun_s[i][static_cast<std::size_t>(other)]);
    const double last_s = std::max(own_s, awaited_s);
    measured_s.push_back(series.ended_s[i][rank] - last_s);
    predicted_s.push_back(time.leaves_s(own_s, awaited_s) - last_s);
  }
  return {series.call,  series.ranks,          rank == 0 ? "root" : fmt::format("rank {}", rank),
          series.bytes, median_of(measured_s), median_of(predicted_s)};
}

void check(const RootedSeries& series, const CollectiveModel& model, std::vector<CheckedCall>& calls) {
  const auto times = model.times_by_member(series.call, series.ranks, static_cast<double>(series.bytes));
  if (!times || times->front().after_own.is_extrapolated) return;
  for (std::size_t rank = 0; rank < times->size(); ++rank) {
    CheckedCall call = check_rank(series, rank, (*times)[rank]);
    if (call.measured_s > 0) calls.push_back(std::move(call));  // it may wait for others than it did then
  }
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
