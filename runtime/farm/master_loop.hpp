#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "runtime/dispatch/dispatcher.hpp"
#include "runtime/farm/loop_status.hpp"
#include "runtime/farm/membership_log.hpp"
#include "runtime/farm/options.hpp"
#include "runtime/farm/rank_report.hpp"
#include "runtime/journal/journal.hpp"
#include "runtime/records/measured_chunks.hpp"
#include "runtime/transport/transport.hpp"

namespace loadshare {

/// The master's part of a run: carries the dispatcher's decisions to the workers and their reports back.
class MasterLoop {
 public:
  /// `known`: by worker number; who has no share counts as 1. `journal`: is told what has finished; may be
  /// null. `work`: see MeasuredChunks.
  MasterLoop(MasterEnd& end, Dispatcher& dispatcher, std::size_t prefetch, const RunControls& controls,
             std::string iteration_name, KnownWorkers known = {}, LoopJournal* journal = nullptr,
             MeasuredChunks::WorkOf work = {});

  /// Runs until every iteration is committed. However it ends, the workers have then been told to stop.
  /// Throws Error(run_failed) naming worker, chunk and reason when a worker failed, and Error(interrupted) on
  /// request. Throws Error(workers_lost) when work remains but no worker, and Error(drained) when it was
  /// asked to drain and work remains.
  void run();

  /// What a person should know of the journal; again when it is closed, for that may fail, too.
  void tell_of_journal() const;

  double start_s() const { return start_s_; }    ///< on the master's clock
  double finish_s() const { return finish_s_; }  ///< when the last result was at its place
  const Account& account() const { return account_; }
  Index chunks_total() const { return chunks_total_; }
  /// What a worker's results contributed: copies that came second do not count.
  Dispatcher::Contribution contribution(WorkerId worker) const { return dispatcher_.contribution(worker); }
  /// The timed chunks; instants on the master's clock, not yet relative to the start.
  MeasuredChunks& chunks() { return chunks_; }
  std::vector<SkippedIteration> take_skipped() { return std::move(skipped_); }
  ReissueRecord reissue() const;
  MembershipRecord membership() const;
  WorkerName name_of(WorkerId worker) const;

 private:
  void joined(WorkerId worker, std::shared_ptr<const Newcomer> newcomer);
  void serve();
  std::size_t collect();
  void handle(const Event& event);
  void handle_report(const Event& event);
  void returned(const Event& event, const std::optional<Dispatcher::Holding>& holding);
  Index publish(WorkerId worker, ChunkId id);
  void say_that_nobody_is_there() const;
  void say_that_a_lease_runs(const Event& event) const;
  void set_aside(WorkerId worker);
  void carry_out();
  void end(const Decision& decision);
  [[noreturn]] void end_interrupted() const;
  void drain_if_asked();
  void tick();
  void dismiss_who_may_go();
  LoopProgress progress() const;
  LoopStatus status() const;
  std::string chunk_text(Chunk chunk) const;
  std::string done_text() const;

  MasterEnd& end_;
  Dispatcher& dispatcher_;
  const RunControls& controls_;
  std::string iteration_name_;
  std::vector<std::shared_ptr<const Newcomer>> workers_;  // as they joined last
  std::set<WorkerId> aside_;                              // processes
  std::uint32_t window_;
  KnownWorkers known_;
  LoopJournal* journal_;
  Decisions decisions_;
  std::array<Event, 64> events_;
  Failure failure_;  // the last
  std::vector<SkippedIteration> skipped_;
  std::map<WorkerId, Index> saved_;
  MembershipLog members_;
  std::vector<WorkerId> drained_;  // and not gone yet
  MeasuredChunks chunks_;
  Index chunks_total_ = 0;
  Account account_;
  double now_s_ = 0;
  double start_s_ = 0;
  double finish_s_ = 0;
  double next_tick_s_ = 0;
  double next_status_s_ = 0;
  bool is_draining_ = false;
};

}  // namespace loadshare
