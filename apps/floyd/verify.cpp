#include "apps/floyd/verify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace loadshare::floyd {
namespace {

class Search {
 public:
  Search(const Graph& graph, Index source)
      : graph_(graph),
        lengths_(static_cast<std::size_t>(graph.vertices), no_path),
        is_settled_(lengths_.size(), false),
        edges_(lengths_.size()) {
    lengths_[static_cast<std::size_t>(source)] = 0;
  }

  std::vector<Length> run() {
    for (std::size_t at = nearest(); lengths_[at] < no_path && !is_settled_[at]; at = nearest()) settle(at);
    return lengths_;
  }

 private:
  /// Returns the nearest vertex that is not settled, or any vertex if all are.
  std::size_t nearest() const {
    std::size_t found = 0;
    for (std::size_t at = 0; at < lengths_.size(); ++at) {
      if (is_settled_[at]) continue;
      if (is_settled_[found] || lengths_[at] < lengths_[found]) found = at;
    }
    return found;
  }

  void settle(std::size_t at) {
    is_settled_[at] = true;
    edges_from(graph_, static_cast<Index>(at), edges_);
    for (std::size_t to = 0; to < edges_.size(); ++to) {
      if (edges_[to] == no_path) continue;
      const Length by_way_of = lengths_[at] + edges_[to];
      if (by_way_of < lengths_[to]) lengths_[to] = by_way_of;
    }
  }

  const Graph& graph_;
  std::vector<Length> lengths_;
  std::vector<char> is_settled_;
  std::vector<Length> edges_;
};

constexpr Index sampled = 16;

}  // namespace

std::vector<Length> shortest_from(const Graph& graph, Index source) {
  return Search(graph, source).run();
}

std::vector<Index> sources(Verification how, Index vertices, std::uint64_t seed) {
  const Index count = how == Verification::full ? vertices : std::min(sampled, vertices);
  const auto first = static_cast<Index>(seed % static_cast<std::uint64_t>(vertices));
  std::vector<Index> chosen;
  for (Index i = 0; i < count; ++i) chosen.push_back((first + i * vertices / count) % vertices);
  std::ranges::sort(chosen);
  return chosen;
}

std::vector<Index> wrong_sources(const Graph& graph, const std::vector<Index>& sources, spmd::Part rows,
                                 std::span<const Length> lengths) {
  std::vector<Index> wrong;
  for (const Index source : sources) {
    if (source < rows.first || source >= rows.end()) continue;
    const auto at = static_cast<std::size_t>((source - rows.first) * graph.vertices);
    const auto row = lengths.subspan(at, static_cast<std::size_t>(graph.vertices));
    if (!std::ranges::equal(row, shortest_from(graph, source))) wrong.push_back(source);
  }
  return wrong;
}

std::string what_is_wrong(Paths& paths, const FloydOptions& options, spmd::Exchange& exchange) {
  const std::vector<Index> chosen =
      sources(options.verification, options.size, static_cast<std::uint64_t>(options.run.seed));
  const std::vector<Index> wrong =
      wrong_sources(options.graph(), chosen, paths.result_rows(), paths.result());
  const std::array<Index, 2> own{static_cast<Index>(wrong.size()),
                                 wrong.empty() ? options.size : wrong.front()};
  const std::vector<Index> all = exchange.all_gather(std::span<const Index>(own));
  Index count = 0, first = options.size;
  for (std::size_t at = 0; at < all.size(); at += own.size()) {
    count += all[at];
    first = std::min(first, all[at + 1]);
  }
  if (count == 0) return {};
  return fmt::format(
      "the paths from vertex {} are wrong ({} of {} checked), according to Dijkstra's algorithm", first,
      count, chosen.size());
}

}  // namespace loadshare::floyd
