#include "models/calibration/calibration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace loadshare::calibration {
namespace {

std::size_t hosts_of_first(const Launch& launch, int ranks) {
  std::set<std::string> hosts;
  for (int rank = 0; rank < ranks; ++rank) hosts.insert(launch.ranks[static_cast<std::size_t>(rank)].host);
  return hosts.size();
}

}  // namespace

std::vector<Pair> pairs_of(const Calibration& calibration) {
  std::set<Pair> pairs;
  for (const MessageSeries& series : calibration.messages) pairs.insert({series.sender, series.receiver});
  return {pairs.begin(), pairs.end()};
}

std::vector<communication::MessageSample> samples_of(const Calibration& calibration, const Pair& pair) {
  std::vector<communication::MessageSample> samples;
  for (const MessageSeries& series : calibration.messages) {
    if (Pair{series.sender, series.receiver} != pair) continue;
    for (const MessageTiming& message : series.messages)
      samples.push_back({series.mode, series.posted, static_cast<double>(series.bytes), message.sender_s,
                         message.receiver_s, message.has_waited, series.launch});
  }
  return samples;
}

std::vector<communication::CollectiveSample> collective_samples_of(const Calibration& calibration,
                                                                   Spread spread) {
  std::vector<communication::CollectiveSample> samples;
  for (const CollectiveSeries& series : calibration.collectives) {
    const std::size_t hosts = hosts_of_first(calibration.launches[series.launch], series.ranks);
    if (hosts != (spread == Spread::one_host ? 1 : static_cast<std::size_t>(series.ranks))) continue;
    for (const double seconds : series.seconds)
      samples.push_back(
          {series.call, series.ranks, static_cast<double>(series.bytes), seconds, series.launch});
  }
  return samples;
}

bool share_host(const Calibration& calibration, const Pair& pair) {
  const auto host = [&](int rank) {
    return calibration.launches.front().ranks.at(static_cast<std::size_t>(rank)).host;
  };
  return host(pair.sender) == host(pair.receiver);
}

std::string host_difference(const Launch& before, const Launch& now) {
  if (before.ranks.size() != now.ranks.size())
    return fmt::format("the ranks are {}, and were {}", now.ranks.size(), before.ranks.size());
  for (std::size_t i = 0; i < now.ranks.size(); ++i)
    if (now.ranks[i].host != before.ranks[i].host)
      return fmt::format("rank {} is on {}, and was on {}", i, now.ranks[i].host, before.ranks[i].host);
  return {};
}

}  // namespace loadshare::calibration
