#include "apps/loadshare/metrics/shared_processors.hpp"

#include <fmt/format.h>

#include <map>
#include <set>

namespace loadshare::tool {
namespace {

struct HostProcessors {
  std::size_t ranks = 0;
  std::set<int> cpus;
};

}  // namespace

std::vector<std::string> remarks_on_shared_processors(const std::vector<RankProcessors>& ranks) {
  std::map<std::string, HostProcessors> hosts;
  for (const RankProcessors& rank : ranks) {
    if (rank.cpus.empty()) continue;
    HostProcessors& host = hosts[rank.host];
    ++host.ranks;
    host.cpus.insert(rank.cpus.begin(), rank.cpus.end());
  }
  std::vector<std::string> remarks;
  for (const auto& [name, host] : hosts)
    if (host.ranks > host.cpus.size())
      remarks.push_back(fmt::format(
          "{} ranks of host {} share {} {}: what they take from each other counts as stolen", host.ranks,
          name, host.cpus.size(), host.cpus.size() == 1 ? "processor" : "processors"));
  return remarks;
}

}  // namespace loadshare::tool
