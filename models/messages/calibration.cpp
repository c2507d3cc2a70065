#include "models/messages/calibration.hpp"

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

using Texts = MpiSetup;

std::string text_of(const Texts& texts, const std::string& name) {
  const auto found = texts.find(name);
  return found == texts.end() ? "not set" : fmt::format("'{}'", found->second);
}

std::string difference_of(const std::string& name, const Texts& before, const Texts& now) {
  const std::string old_text = text_of(before, name), new_text = text_of(now, name);
  return old_text == new_text ? "" : fmt::format("{} is {}, and was {}", name, new_text, old_text);
}

constexpr const char* network = "network";

bool is_one_host(const Launch& launch) {
  return hosts_of_first(launch, static_cast<int>(launch.ranks.size())) == 1;
}

std::string settings_difference(const Texts& before, const Texts& now, bool network_counts) {
  std::set<std::string> names;
  for (const Texts& texts : {before, now})
    for (const auto& [name, text] : texts) names.insert(name);
  if (!network_counts || !before.contains(network) || !now.contains(network)) names.erase(network);
  for (const std::string& name : names)
    if (const std::string difference = difference_of(name, before, now); !difference.empty())
      return difference;
  return {};
}

/// Which of the processors a launch gets is chance, how many, and whether two ranks share them, is not.
std::string binding_of(const Launch& launch, std::size_t rank) {
  const RankPlace& place = launch.ranks[rank];
  std::string text = fmt::format("{} processor{}", place.cpus.size(), place.cpus.size() == 1 ? "" : "s");
  for (std::size_t other = 0; other < rank; ++other)
    if (launch.ranks[other].host == place.host && launch.ranks[other].cpus == place.cpus)
      return text + fmt::format(", those of rank {}", other);
  return text;
}

std::string binding_difference(const Launch& before, const Launch& now) {
  for (std::size_t rank = 0; rank < std::min(before.ranks.size(), now.ranks.size()); ++rank) {
    const std::string old_text = binding_of(before, rank), new_text = binding_of(now, rank);
    if (old_text != new_text) return fmt::format("rank {} has {}, and had {}", rank, new_text, old_text);
  }
  return {};
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

std::vector<communication::Sample> gaps_of(const Calibration& calibration, const Pair& pair) {
  std::vector<communication::Sample> gaps;
  for (const BurstSeries& series : calibration.bursts)
    if (Pair{series.sender, series.receiver} == pair)
      for (const double seconds : series.seconds)
        gaps.push_back({static_cast<double>(series.bytes), seconds / static_cast<double>(series.messages - 1),
                        series.launch});
  return gaps;
}

bool lie_so(const Calibration& calibration, std::size_t launch, int ranks, Spread spread) {
  const std::size_t hosts = hosts_of_first(calibration.launches[launch], ranks);
  return hosts == (spread == Spread::one_host ? 1 : static_cast<std::size_t>(ranks));
}

std::vector<communication::CollectiveSample> collective_samples_of(const Calibration& calibration,
                                                                   Spread spread) {
  std::vector<communication::CollectiveSample> samples;
  for (const CollectiveSeries& series : calibration.collectives) {
    if (!lie_so(calibration, series, spread)) continue;
    for (const double seconds : series.seconds)
      samples.push_back(
          {series.call, series.ranks, static_cast<double>(series.bytes), seconds, series.launch});
  }
  return samples;
}

std::vector<communication::RootedSample> rooted_samples_of(const Calibration& calibration,
                                                           std::optional<Spread> spread) {
  std::vector<communication::RootedSample> samples;
  for (const RootedSeries& series : calibration.rooted_calls) {
    if (spread && !lie_so(calibration, series, *spread)) continue;
    for (std::size_t i = 0; i < series.begun_s.size(); ++i)
      samples.push_back({series.call, static_cast<double>(series.bytes), series.begun_s[i], series.ended_s[i],
                         series.launch});
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

std::string ways_difference(const Launch& before, const Launch& now) {
  for (const std::string& difference :
       {difference_of("mpi", before.versions, now.versions),
        settings_difference(before.transport, now.transport, !is_one_host(now)),
        binding_difference(before, now)})
    if (!difference.empty()) return difference;
  return {};
}

MpiSetup setup_of(const Launch& launch) {
  MpiSetup setup = launch.transport;
  if (const auto mpi = launch.versions.find("mpi"); mpi != launch.versions.end()) setup.insert(*mpi);
  return setup;
}

std::string setup_difference(const Launch& launch, const MpiSetup& run) {
  constexpr const char* interfaces = "btl_tcp_if_include";
  Texts before = setup_of(launch), asked = run;
  // MPI puts interfaces in place of the subnets it was asked for; which they are is told by the network.
  if (asked.contains(interfaces) && asked[interfaces].find('/') != std::string::npos) asked.erase(interfaces);
  std::erase_if(before, [&asked](const auto& setting) { return !asked.contains(setting.first); });
  return settings_difference(before, asked, !is_one_host(launch));
}

}  // namespace loadshare::calibration
