#include "apps/loadshare/metrics/shared_processors.hpp"

#include <fmt/format.h>

#include <map>
#include <set>

namespace loadshare::tool {
namespace {

/// Ranks, and the processors that they may use between them.
struct Sharing {
  std::size_t ranks = 0;
  std::set<int> cpus;

  void add(const std::set<int>& of_them, std::size_t more) {
    ranks += more;
    cpus.insert(of_them.begin(), of_them.end());
  }
  bool is_tight() const { return ranks > cpus.size(); }
};

using Bindings = std::map<std::set<int>, std::size_t>;  ///< how many ranks may run on just these processors

/// Those of a host that are more than their processors: all of them, or those bound to the same few.
Sharing tight_ones(const Bindings& bindings) {
  Sharing all;
  Sharing bound;
  for (const auto& [cpus, ranks] : bindings) {
    all.add(cpus, ranks);
    if (ranks > cpus.size()) bound.add(cpus, ranks);
  }
  return all.is_tight() ? all : bound;
}

}  // namespace

std::vector<std::string> remarks_on_shared_processors(const std::vector<RankProcessors>& ranks,
                                                      std::string_view consequence) {
  std::map<std::string, Bindings> hosts;
  for (const RankProcessors& rank : ranks)
    if (!rank.cpus.empty()) ++hosts[rank.host][{rank.cpus.begin(), rank.cpus.end()}];
  std::vector<std::string> remarks;
  for (const auto& [name, bindings] : hosts)
    if (const Sharing tight = tight_ones(bindings); tight.is_tight())
      remarks.push_back(fmt::format("{} ranks of host {} share {} {}: {}", tight.ranks, name,
                                    tight.cpus.size(), tight.cpus.size() == 1 ? "processor" : "processors",
                                    consequence));
  return remarks;
}

}  // namespace loadshare::tool
