#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <random>
#include <vector>

#include "models/farm/chunk_bundles.hpp"
#include "models/farm/farm_network.hpp"
#include "models/farm/processors.hpp"
#include "models/farm/scenario.hpp"
#include "runtime/dispatch/dispatcher.hpp"

namespace loadshare::predictor {

/// One run of a farm in virtual time: the real dispatcher and a real scheduler, told what happened and when,
/// while messages, computing and the master's work take the time that a scenario says.
///
/// The master's processor serves who comes first, in the order of time; a report goes through port (see
/// FarmNetwork), processor and port out again. A worker's own time is a sum: when its chunk is there, and it
/// has ended the one before, it computes. So a chunk is some few events, whatever its size, and memory
/// follows the workers, never the loop. Of very many chunks some are bundled (BundledChunks).
///
/// Of workers that come and go the dispatcher hears as in a real farm, at that time, and decides. Nothing
/// that a worker has queued may then be begun before its time, for it may be taken back: their chunks are
/// some more events.
class FarmSimulation {
 public:
  /// `scenario` must outlive it. `seed`: of chunks' deviations and of the phases of grants, the same for
  /// every technique that is compared. Throws UsageError as Dispatcher does, and where iterations have no
  /// worker; so does run(), where the workers that stay do not bring the loop to its end.
  FarmSimulation(const Scenario& scenario, std::unique_ptr<ChunkScheduler> scheduler, std::uint64_t seed = 0,
                 const Bundling& bundling = {});

  /// `hear` receives each chunk or bundle, in the order of return.
  void on_chunk(std::function<void(const ChunkRecord&)> hear) { on_chunk_ = std::move(hear); }
  /// Runs to the end. Throws Error (run_failed) where the scheduler's size is out of range. Once.
  Outcome run();
  /// The same as long as `may_go_on`, which is asked every few thousand events; nothing where it ended that.
  std::optional<Outcome> run_while(const std::function<bool()>& may_go_on);

  // Meanwhile:
  double now_s() const { return outcome_.makespan_s; }          ///< the latest report's time
  Index unassigned() const { return dispatcher_.remaining(); }  ///< iterations, the last of the loop
  bool has_bundled() const { return bundles_ != nullptr && bundles_->most_at_once() > 1; }

 private:
  struct Held {
    ChunkId id;
    Chunk chunk;
    double assigned_s = 0, received_s = 0, begun_s = 0, ended_s = 0;
    float deviation = 1;       // of its time
    std::uint32_t chunks = 1;  // that it represents
    double waited_s = 0;
    double recalled_s = never_s;  // when the worker hears that it is to be handed back

    Bundle bundle() const { return {chunk, chunks}; }
  };
  /// What one worker holds, oldest first, is a ring of prefetch + 1 in held_.
  struct Worker {
    Processor processor;
    double free_at_s = 0;
    std::uint16_t head = 0, size = 0;
    std::uint16_t begun = 0;  // of these, the oldest
    bool awaits_shared = false;
    bool is_gone = false;        // lost: what is under way from and to it is for nobody
    bool is_to_be_free = false;  // an event says when it may begin its next chunk
  };
  struct HandedBack {
    ChunkId id;
    Chunk chunk;
  };
  static constexpr double never_s = std::numeric_limits<double>::infinity();

  void start();
  void join(std::uint32_t worker, double at_s);
  void run_events();
  Outcome finish();
  void handle(const Event& event);
  void order_here(const Event& event);
  void report_at_port(const Event& event);
  void report_at_master(const Event& event);
  void own_chunk_done(const Event& event);
  void shared_sent(const Event& event);
  void shared_input_here();
  void shared_here_late(const Event& event);

  // Workers that come and go (farm_membership.cpp):
  void expect_changes();
  bool is_for_nobody(const Event& event) const;
  /// Returns when the master is to carry out what was decided.
  double handle_change(const Event& event);
  void expect_tick();
  void come(const Event& event);
  double go(const Event& event);
  void forget_held(std::uint32_t worker, double now_s);
  void recall(const Decision& recalled, double now_s);
  void hand_back(std::uint32_t worker);
  double handed_back(const Event& event);
  [[noreturn]] void throw_stranded(double now_s) const;
  void require_good_end() const;
  void tell_stays();
  /// When the shared input was on the worker's host; 0: not yet, or it needs none.
  double shared_here_s(std::uint32_t worker) const;

  void carry_out(double now_s);
  void order(const Decision& given, double at_s);
  void begin_ready(std::uint32_t worker);
  void begin(std::uint32_t worker, std::uint16_t slot);
  double computed_s(std::uint32_t worker, const Bundle& bundle, double from_s, double work_s);
  void begin_own(std::uint32_t worker, std::uint16_t slot);
  double sending_s(const WorkerModel& model, double from_s, double work_s) const;
  void report(std::uint32_t worker, std::uint16_t slot);
  void tell(std::uint32_t worker, const Held& returned, double now_s);

  bool is_own(std::uint32_t worker) const { return scenario_.master.own_worker == worker; }
  bool needs_shared(const WorkerModel& model) const { return model.link && scenario_.shared.transfer_s > 0; }
  double shared_here_s() const { return shared_done_s_ + scenario_.shared.tail_s; }
  Held& held(std::uint32_t worker, std::uint16_t slot) { return held_[worker * depth_ + slot]; }
  /// Of the worker's ring, `steps` <= prefetch + 1 behind the oldest.
  std::uint16_t slot_behind_head(const Worker& worker, std::uint16_t steps) const {
    const std::uint32_t slot = std::uint32_t{worker.head} + steps;
    return static_cast<std::uint16_t>(slot < depth_ ? slot : slot - depth_);
  }

  std::unique_ptr<ChunkScheduler> bundled(std::unique_ptr<ChunkScheduler> scheduler,
                                          const Bundling& bundling);

  const Scenario& scenario_;
  BundledChunks* bundles_ = nullptr;  // the dispatcher's scheduler; null if chunks are simulated one by one
  Dispatcher dispatcher_;
  std::uint32_t depth_;
  std::mt19937_64 random_;
  std::vector<Worker> workers_;
  std::vector<Held> held_;
  MasterProcessor master_;
  Outcome outcome_;
  Decisions decisions_;
  Events events_;
  ChunkCosts costs_;
  FarmNetwork network_;
  double shared_done_s_ = 0;  // when its last byte had left the master
  bool has_changes_ = false;
  double now_s_ = 0;  // of the event in hand, where there are changes
  std::size_t yet_to_come_ = 0;
  std::vector<double> late_shared_here_s_;  // by worker; of those that have come
  std::vector<HandedBack> handed_back_;     // on their way
  std::vector<std::uint16_t> free_places_;  // in that
  std::function<void(const ChunkRecord&)> on_chunk_;
};

}  // namespace loadshare::predictor
