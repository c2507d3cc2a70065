#include "models/messages/calibration.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

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

/// What tells the runs' hosts from the launch's.
std::string other_hosts(const Launch& launch, const std::vector<RunPlace>& runs) {
  std::set<std::string> known, strange;
  for (const RankPlace& rank : launch.ranks) known.insert(rank.host);
  std::vector<std::string> names;
  for (const RunPlace& run : runs) {
    std::set<std::string> hosts(run.hosts.begin(), run.hosts.end());
    for (const std::string& host : known) hosts.erase(host);
    if (!hosts.empty()) names.push_back(run.name);
    strange.merge(hosts);
  }
  if (names.empty()) return "";
  return fmt::format("{} ran on {}, the calibration is of {}", fmt::join(names, ", "),
                     fmt::join(strange, ", "), fmt::join(known, ", "));
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
  const Texts known = launch.asked_for.value_or(Texts());
  Texts before = setup_of(launch), asked = run;
  for (const auto& [name, text] : known) before[name] = text;
  // MPI puts interfaces in place of the subnets it was asked for; which they are is told by the network.
  const bool has_subnets = asked.contains(interfaces) && asked[interfaces].find('/') != std::string::npos;
  if (has_subnets && before.contains(interfaces) && !known.contains(interfaces)) asked.erase(interfaces);
  std::erase_if(before, [&](const auto& setting) {
    return !asked.contains(setting.first) && !known.contains(setting.first);
  });
  return settings_difference(before, asked, !is_one_host(launch));
}

std::vector<std::string> notes_on_setup(const Launch& launch, const std::vector<RunPlace>& runs,
                                        std::string_view consequence) {
  std::vector<std::string> notes;
  if (const std::string hosts = other_hosts(launch, runs); !hosts.empty())
    notes.push_back(fmt::format("{}: {}", hosts, consequence));
  std::map<std::string, std::vector<std::string>> runs_by_difference;
  for (const RunPlace& run : runs)
    if (!run.mpi.empty()) runs_by_difference[setup_difference(launch, run.mpi)].push_back(run.name);
  runs_by_difference.erase("");
  for (const auto& [difference, names] : runs_by_difference)
    notes.push_back(fmt::format("MPI was configured differently for {} than for the calibration: {}; {}",
                                fmt::join(names, ", "), difference, consequence));
  return notes;
}

std::vector<std::string> with_shared_hosts(const std::vector<RunPlace>& runs) {
  std::vector<std::string> names;
  for (const RunPlace& run : runs)
    if (std::set<std::string>(run.hosts.begin(), run.hosts.end()).size() < run.hosts.size())
      names.push_back(run.name);
  return names;
}

}  // namespace loadshare::calibration
