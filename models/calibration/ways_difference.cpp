#include "models/calibration/ways_difference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace loadshare::calibration {
namespace {

using Texts = std::map<std::string, std::string>;

std::string text_of(const Texts& texts, const std::string& name) {
  const auto found = texts.find(name);
  return found == texts.end() ? "not set" : fmt::format("'{}'", found->second);
}

std::string difference_of(const std::string& name, const Texts& before, const Texts& now) {
  const std::string old_text = text_of(before, name), new_text = text_of(now, name);
  return old_text == new_text ? "" : fmt::format("{} is {}, and was {}", name, new_text, old_text);
}

std::string settings_difference(const Texts& before, const Texts& now) {
  std::set<std::string> names;
  for (const Texts& texts : {before, now})
    for (const auto& [name, text] : texts) names.insert(name);
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

std::string ways_difference(const Launch& before, const Launch& now) {
  for (const std::string& difference :
       {difference_of("mpi", before.versions, now.versions),
        settings_difference(before.transport, now.transport), binding_difference(before, now)})
    if (!difference.empty()) return difference;
  return {};
}

}  // namespace loadshare::calibration
