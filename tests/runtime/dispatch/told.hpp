#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "runtime/dispatch/dispatcher.hpp"
#include "schedulers/send.hpp"

namespace loadshare::test {

inline constexpr WorkerId anna{0}, ben{1}, carl{2}, dora{3};

/// A dispatcher, what it decided about the latest event, and what each worker was given.
class Told {
 public:
  explicit Told(Dispatcher to) : dispatcher(std::move(to)) {}
  Told(Index iterations, Index size, DispatchRules rules = {})
      : dispatcher(iterations, std::make_unique<Send>(Send::Parameters{.size = size}), rules) {}

  void joined(WorkerId worker, std::uint32_t window = 1) { joined(worker, {.window = window}); }
  void joined(WorkerId worker, const WorkerFacts& facts) {
    tell([&] { dispatcher.joined(worker, facts, now_s, decisions); });
  }
  void leaving(WorkerId worker, double deadline_s) {
    tell([&] { dispatcher.leaving(worker, deadline_s, now_s, decisions); });
  }
  void lost(WorkerId worker) {
    tell([&] { dispatcher.lost(worker, now_s, decisions); });
  }
  void silent(WorkerId worker) {
    tell([&] { dispatcher.silent(worker, now_s, decisions); });
  }
  void heard(WorkerId worker) {
    tell([&] { dispatcher.heard(worker, now_s, decisions); });
  }
  void tick() {
    tell([&] { dispatcher.tick(now_s, decisions); });
  }
  void returned(WorkerId worker, const Assignment& assignment, ChunkTimes times = {}) {
    tell([&] { dispatcher.returned(worker, assignment.id, times, now_s, decisions); });
  }
  void handed_back(WorkerId worker, const Assignment& assignment, Chunk range) {
    tell([&] { dispatcher.handed_back(worker, assignment.id, range, now_s, decisions); });
  }
  void failed(WorkerId worker, const Assignment& assignment, std::optional<Index> at = {}) {
    tell([&] { dispatcher.failed(worker, assignment.id, at, now_s, decisions); });
  }

  /// The latest decisions of a kind.
  std::vector<Chunk> ranges(Decision::Kind kind) const {
    std::vector<Chunk> found;
    for (const Decision& decision : decisions)
      if (decision.kind == kind) found.push_back(decision.chunk);
    return found;
  }
  std::vector<WorkerId> given_to() const {
    std::vector<WorkerId> found;
    for (const Decision& decision : decisions)
      if (decision.kind == Decision::Kind::give) found.push_back(decision.worker);
    return found;
  }
  /// The oldest that the worker holds.
  Assignment held(WorkerId worker) const { return dispatcher.held(worker).at(0); }

  Dispatcher dispatcher;
  Decisions decisions;
  double now_s = 0;

 private:
  template <class Event>
  void tell(Event event) {
    decisions.clear();
    event();
  }
};

}  // namespace loadshare::test
