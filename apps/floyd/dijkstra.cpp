#include "apps/floyd/dijkstra.hpp"

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
  /// The nearest vertex that is not settled; any where all are.
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

}  // namespace

std::vector<Length> shortest_from(const Graph& graph, Index source) {
  return Search(graph, source).run();
}

}  // namespace loadshare::floyd
