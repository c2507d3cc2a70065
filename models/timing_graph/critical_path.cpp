#include "models/timing_graph/critical_path.hpp"

#include <algorithm>
#include <cstdint>

namespace loadshare::timing_graph {
namespace {

/// Walks a finished simulation backwards.
class Walk final {
 public:
  explicit Walk(const Simulation& simulation) : simulation_(simulation), program_(simulation.program()) {}

  std::vector<PathPart> path() {
    std::size_t process = last_process();
    std::size_t op = program_.first_ops[process + 1];
    while (op > program_.first_ops[process]) {
      const std::size_t ended = op - 1;
      const std::size_t cause = simulation_.ends()[ended].cause;
      const std::size_t where =
          cause == ended ? process : simulation_.process_of(static_cast<std::uint32_t>(cause));
      add(process, ended, begin_of(where, cause));
      process = where;
      op = cause;
    }
    std::ranges::reverse(parts_);
    return std::move(parts_);
  }

 private:
  std::size_t last_process() const {
    const auto& all = simulation_.processes();
    return static_cast<std::size_t>(std::ranges::max_element(all, {}, &ProcessState::clock_s) - all.begin());
  }

  double begin_of(std::size_t process, std::size_t op) const {
    return op == program_.first_ops[process] ? 0 : simulation_.ends()[op - 1].time_s;
  }

  void add(std::size_t process, std::size_t op, double begin_s) {
    const double end_s = simulation_.ends()[op].time_s;
    if (end_s <= begin_s) return;
    const PathPart part{static_cast<std::int32_t>(process), program_.ops[op].origin, begin_s, end_s};
    const bool goes_on =
        !parts_.empty() && parts_.back().process == part.process && parts_.back().origin == part.origin;
    if (goes_on)
      parts_.back().begin_s = begin_s;
    else
      parts_.push_back(part);
  }

  const Simulation& simulation_;
  const Program& program_;
  std::vector<PathPart> parts_;
};

}  // namespace

std::vector<PathPart> critical_path(const Simulation& simulation) {
  if (simulation.processes().empty()) return {};
  return Walk(simulation).path();
}

}  // namespace loadshare::timing_graph
