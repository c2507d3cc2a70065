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
    process_ = last_process();
    op_ = program_.first_ops[process_ + 1];
    while (op_ > program_.first_ops[process_]) {
      const OpEnd& end = simulation_.ends()[op_ - 1];
      const double held_until_s = end.hold == nothing ? 0 : simulation_.holds()[end.hold].until_s;
      const std::size_t process = process_, ended = op_ - 1;
      go_to(end.hold == nothing ? end.cause : simulation_.transits()[first_holder(end.hold)].started_by());
      add(process, ended, end.hold == nothing ? begin_s() : held_until_s, end.time_s);
      add_holders(end.hold);
    }
    std::ranges::reverse(parts_);
    return std::move(parts_);
  }

 private:
  std::size_t last_process() const {
    const auto& all = simulation_.processes();
    return static_cast<std::size_t>(std::ranges::max_element(all, {}, &ProcessState::clock_s) - all.begin());
  }

  /// To the begin of `op`.
  void go_to(std::size_t op) {
    process_ = simulation_.process_of(static_cast<std::uint32_t>(op));
    op_ = op;
  }

  double begin_s() const {
    return op_ == program_.first_ops[process_] ? 0 : simulation_.ends()[op_ - 1].time_s;
  }

  /// The message that had to wait for no other.
  std::uint32_t first_holder(std::uint32_t hold) const {
    const std::vector<Hold>& holds = simulation_.holds();
    while (holds[hold].previous != nothing) hold = holds[hold].previous;
    return holds[hold].by;
  }

  /// The messages that were before, each until it made way for the next; the first from where the walk is.
  void add_holders(std::uint32_t number) {
    while (number != nothing) {
      const Hold& hold = simulation_.holds()[number];
      const MatchedMessage& by = simulation_.transits()[hold.by].message;
      const bool is_first = hold.previous == nothing;
      add(static_cast<std::size_t>(by.source), by.send,
          is_first ? begin_s() : simulation_.holds()[hold.previous].until_s, hold.until_s);
      number = hold.previous;
    }
  }

  void add(std::size_t process, std::size_t op, double begin_s, double end_s) {
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
  std::size_t process_ = 0;  ///< where the walk is: before op_
  std::size_t op_ = 0;
  std::vector<PathPart> parts_;
};

}  // namespace

std::vector<PathPart> critical_path(const Simulation& simulation) {
  if (simulation.processes().empty()) return {};
  return Walk(simulation).path();
}

}  // namespace loadshare::timing_graph
