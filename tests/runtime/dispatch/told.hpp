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
  /// With its oldest begun.
  void lost(WorkerId worker) {
    if (dispatcher.held_count(worker) > 0) dispatcher.progressed(worker, held(worker).id, 0);
    lost_before_it_began(worker);
  }
  void lost_before_it_began(WorkerId worker) {
    tell([&] { dispatcher.lost(worker, now_s, decisions); });
  }
  void cut_off(WorkerId worker, double gone_at_s) {
    tell([&] { dispatcher.cut_off(worker, gone_at_s, now_s, decisions); });
  }
  void silent(WorkerId worker) {
    tell([&] { dispatcher.silent(worker, now_s, decisions); });
  }
  void heard(WorkerId worker) {
    tell([&] { dispatcher.heard(worker, now_s, decisions); });
  }
  void drain() {
    tell([&] { dispatcher.drain(decisions); });
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

/// Cuts as it is told, and keeps what it hears.
class Scripted final : public ChunkScheduler {
 public:
  struct Heard {
    std::vector<Request> requests;
    std::vector<Chunk> assigned, reclaimed;
    std::vector<ChunkTimes> completed;
    std::vector<WorkerId> joined, left;
  };
  Scripted(std::vector<Cut> cuts, Heard& heard) : cuts_(std::move(cuts)), heard_(heard) {}

  Cut next(const Request& request) override {
    heard_.requests.push_back(request);
    return cuts_.at(next_++);
  }
  void assigned(WorkerId, Chunk chunk) override { heard_.assigned.push_back(chunk); }
  void reclaimed(WorkerId, Chunk chunk) override { heard_.reclaimed.push_back(chunk); }
  void completed(const ChunkTimes& times) override { heard_.completed.push_back(times); }
  void joined(WorkerId worker, const WorkerFacts&) override { heard_.joined.push_back(worker); }
  void left(WorkerId worker) override { heard_.left.push_back(worker); }

 private:
  std::vector<Cut> cuts_;
  std::size_t next_ = 0;
  Heard& heard_;
};

inline Told scripted(Index iterations, std::vector<Cut> cuts, Scripted::Heard& heard,
                     DispatchRules rules = {}) {
  return Told(Dispatcher(iterations, std::make_unique<Scripted>(std::move(cuts), heard), rules));
}

}  // namespace loadshare::test
