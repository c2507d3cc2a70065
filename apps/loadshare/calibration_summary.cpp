#include "apps/loadshare/calibration_summary.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "base/error.hpp"
#include "base/statistics.hpp"

namespace loadshare::tool {
namespace {

using calibration::Calibration;
using calibration::ChunkSeries;
using calibration::MessageSeries;
using calibration::MessageTiming;
using calibration::Pair;
using communication::MessageModel;
using communication::MessageSample;
using communication::ReceivePosted;
using communication::SendMode;
using communication::Side;

TimeSummary side_of(const std::vector<MessageTiming>& messages, double MessageTiming::*side) {
  std::vector<double> seconds;
  for (const MessageTiming& message : messages) seconds.push_back(message.*side);
  return summary_of(seconds);
}

KindSummary::Size size_of(Index bytes, const std::vector<MessageTiming>& messages) {
  const auto waited = std::ranges::count(messages, true, &MessageTiming::has_waited);
  return {bytes, messages.size(), side_of(messages, &MessageTiming::sender_s),
          side_of(messages, &MessageTiming::receiver_s),
          static_cast<double>(waited) / static_cast<double>(messages.size())};
}

FittedModel model_of(const std::vector<MessageSample>& samples, const MessageModel& costs,
                     const std::string& fit) {
  FittedModel model{fit, "bytes", {"mode", "side", "posted"}, {}};
  for (const auto mode : communication::send_modes)
    for (const auto posted : {ReceivePosted::before, ReceivePosted::after}) {
      const Index count = std::ranges::count_if(samples, [&](const MessageSample& sample) {
        return sample.mode == mode && sample.posted == posted;
      });
      for (const auto side : {Side::sender, Side::receiver})
        if (costs.has(mode, side, posted))
          model.groups.push_back(
              {{name_of(mode), name_of(side), name_of(posted)}, count, costs.curve(mode, side, posted)});
    }
  return model;
}

PairFit fit_pair(const Calibration& calibration, const Pair& pair, const std::string& fit) {
  try {
    const MessageModel costs = message_model(calibration, pair, fit);
    return {pair, model_of(samples_of(calibration, pair), costs, fit), {}};
  } catch (const UsageError& error) {
    return {pair, std::nullopt, error.what()};
  }
}

}  // namespace

std::size_t KindSummary::messages() const {
  std::size_t sum = 0;
  for (const Size& size : sizes) sum += size.messages;
  return sum;
}

TimeSummary summary_of(const std::vector<double>& seconds) {
  return {quantile_of(seconds, 0.5), quantile_of(seconds, 0.05), quantile_of(seconds, 0.95)};
}

std::vector<KindSummary> kinds_of(const Calibration& calibration, const Pair& pair) {
  std::map<std::pair<SendMode, ReceivePosted>, std::map<Index, std::vector<MessageTiming>>> all;
  for (const MessageSeries& series : calibration.messages) {
    if (Pair{series.sender, series.receiver} != pair) continue;
    auto& messages = all[{series.mode, series.posted}][series.bytes];
    messages.insert(messages.end(), series.messages.begin(), series.messages.end());
  }
  std::vector<KindSummary> kinds;
  for (const auto& [kind, sizes] : all) {
    kinds.push_back({kind.first, kind.second, {}});
    for (const auto& [bytes, messages] : sizes) kinds.back().sizes.push_back(size_of(bytes, messages));
  }
  return kinds;
}

double round_trip_s(const Calibration& calibration, const Pair& pair) {
  std::vector<double> all_s;
  for (const calibration::RoundTrips& trips : calibration.round_trips)
    if (Pair{trips.sender, trips.receiver} == pair)
      all_s.insert(all_s.end(), trips.seconds.begin(), trips.seconds.end());
  return median_of(std::move(all_s));
}

std::map<Index, double> gap_medians_s(const Calibration& calibration, const Pair& pair) {
  std::map<Index, std::vector<double>> all_s;
  for (const communication::Sample& gap : gaps_of(calibration, pair))
    all_s[static_cast<Index>(gap.size)].push_back(gap.seconds);
  std::map<Index, double> medians_s;
  for (const auto& [bytes, gaps_s] : all_s) medians_s[bytes] = median_of(gaps_s);
  return medians_s;
}

std::vector<CallSummary> collectives_of(const Calibration& calibration) {
  std::map<std::pair<int, std::string>, std::map<Index, std::vector<double>>> all;
  for (const calibration::CollectiveSeries& series : calibration.collectives) {
    auto& seconds = all[{series.ranks, series.call}][series.bytes];
    seconds.insert(seconds.end(), series.seconds.begin(), series.seconds.end());
  }
  std::vector<CallSummary> collectives;
  for (const auto& [key, sizes] : all) {
    collectives.push_back({key.first, key.second, {}});
    for (const auto& [bytes, seconds] : sizes)
      collectives.back().sizes.push_back({bytes, seconds.size(), summary_of(seconds), {}});
  }
  return collectives;
}

std::vector<CallSummary> rooted_calls_of(const Calibration& calibration) {
  std::map<std::pair<int, std::string>, std::map<Index, std::size_t>> all;
  for (const calibration::RootedSeries& series : calibration.rooted_calls)
    all[{series.ranks, series.call}][series.bytes] += series.begun_s.size();
  const communication::RootedModel model(rooted_samples_of(calibration));
  std::vector<CallSummary> calls;
  for (const auto& [key, sizes] : all) {
    calls.push_back({key.first, key.second, {}});
    for (const auto& [bytes, count] : sizes)
      calls.back().sizes.push_back(
          {.bytes = bytes,
           .calls = count,
           .by_rank = *model.times(key.second, key.first, static_cast<double>(bytes))});
  }
  return calls;
}

std::vector<ChunkRates> chunk_rates_of(const Calibration& calibration) {
  std::map<std::tuple<int, std::string, Index>, std::map<Index, ChunkSeries>> all;
  for (const ChunkSeries& series : calibration.chunks) {
    const auto [sum, is_first] =
        all[{series.rank, series.kernel, series.size}].try_emplace(series.columns, series);
    std::vector<double>& seconds = sum->second.seconds;
    if (!is_first) seconds.insert(seconds.end(), series.seconds.begin(), series.seconds.end());
  }
  std::vector<ChunkRates> rates;
  for (const auto& [key, widths] : all) {
    rates.push_back({std::get<int>(key), std::get<std::string>(key), std::get<Index>(key), {}});
    for (const auto& [columns, series] : widths) {
      const double median_s = median_of(series.seconds);
      rates.back().chunks.push_back({columns, median_s, series.operations() / median_s});
    }
  }
  return rates;
}

std::optional<std::pair<Index, Index>> threshold_of(const std::vector<KindSummary>& kinds) {
  const auto kind = std::ranges::find_if(kinds, [](const KindSummary& each) {
    return each.mode == SendMode::standard && each.posted == ReceivePosted::after;
  });
  if (kind == kinds.end()) return std::nullopt;
  std::vector<communication::SizeWait> sizes;
  for (const KindSummary::Size& size : kind->sizes)
    sizes.push_back({static_cast<double>(size.bytes), size.waited_share > 0.5});
  const communication::WaitingBorder border = communication::waiting_border(sizes);
  if (!border.below_bytes || !border.above_bytes) return std::nullopt;
  return std::pair{static_cast<Index>(*border.below_bytes), static_cast<Index>(*border.above_bytes)};
}

MessageModel message_model(const Calibration& calibration, const Pair& pair, const std::string& fit) {
  using communication::PairPlace;
  return {samples_of(calibration, pair), fit,
          share_host(calibration, pair) ? PairPlace::one_host : PairPlace::two_hosts,
          gaps_of(calibration, pair)};
}

std::vector<PairFit> fit_pairs(const Calibration& calibration, const std::string& fit) {
  std::vector<PairFit> fits;
  for (const Pair& pair : pairs_of(calibration)) fits.push_back(fit_pair(calibration, pair, fit));
  return fits;
}

}  // namespace loadshare::tool
