#include "apps/loadshare/burst_sampling.hpp"

#include <algorithm>

namespace loadshare::tool {
namespace {

constexpr Index largest_bytes = 64 << 10;
constexpr Index fewest_messages = 8;
constexpr Index most_messages = 200;
constexpr double seconds_a_burst = 10e-3;

/// So many that a burst takes its time: the first messages of one find an idle network.
Index messages_for(Index bytes, double gap_s, const BurstOptions& options) {
  const Index most = std::min(most_messages, options.most_bytes / bytes);
  return std::clamp(static_cast<Index>(seconds_a_burst / gap_s), fewest_messages, most);
}

}  // namespace

std::vector<calibration::BurstSeries> sample_bursts(BurstExchange& exchange, const BurstOptions& options) {
  constexpr Index step = 4;
  const double until_s = exchange.now_s() + options.budget_s;
  std::vector<calibration::BurstSeries> all;
  for (Index bytes = 1; bytes <= largest_bytes && bytes * fewest_messages <= options.most_bytes;
       bytes *= step) {
    const double gap_s = exchange.burst_s({bytes, fewest_messages}) / (fewest_messages - 1);
    all.push_back({.bytes = bytes, .messages = messages_for(bytes, gap_s, options), .seconds = {}});
  }
  for (Index round = 0; round < options.repetitions; ++round)
    for (calibration::BurstSeries& series : all)
      if (round == 0 || exchange.now_s() < until_s)
        series.seconds.push_back(exchange.burst_s({series.bytes, series.messages}));
  return all;
}

}  // namespace loadshare::tool
