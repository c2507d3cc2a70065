#include "models/calibration/calibration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace loadshare::calibration {

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

std::string transport_difference(const Launch& before, const Launch& now) {
  const auto value_in = [](const Launch& launch, const std::string& name) {
    const auto found = launch.transport.find(name);
    return found == launch.transport.end() ? "not set" : found->second;
  };
  std::map<std::string, std::string> names = before.transport;
  names.insert(now.transport.begin(), now.transport.end());
  for (const auto& [name, _] : names)
    if (value_in(now, name) != value_in(before, name))
      return fmt::format("{} is {}, and was {}", name, value_in(now, name), value_in(before, name));
  return {};
}

}  // namespace loadshare::calibration
