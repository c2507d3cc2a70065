#pragma once

#include <array>
#include <string>
#include <vector>

#include "runtime/dispatch/dispatcher.hpp"
#include "runtime/farm/options.hpp"
#include "runtime/farm/rank_report.hpp"
#include "runtime/transport/transport.hpp"

namespace loadshare {

/// The master's part of a run: carries the dispatcher's decisions to the workers and their reports back.
class MasterLoop {
 public:
  MasterLoop(MasterEnd& end, Dispatcher& dispatcher, std::size_t workers, std::size_t prefetch,
             const RunControls& controls, std::string iteration_name);

  /// Runs until every iteration is committed. However it ends, the workers have then been told to stop.
  /// Throws Error(run_failed) naming worker, chunk and reason when a worker failed, Error(interrupted) on
  /// request, Error(workers_lost) when work is left and nobody to do it.
  void run();

  double start_s() const { return start_s_; }    ///< on the master's clock
  double finish_s() const { return finish_s_; }  ///< when the last result was at its place
  const Account& account() const { return account_; }
  Index chunks_total() const { return chunks_total_; }
  /// What a worker's results contributed: copies that came second do not count.
  struct Contribution {
    Index chunks = 0;
    Index iterations = 0;
  };
  const Contribution& contribution(WorkerId worker) const { return queues_[to_number(worker)].contribution; }
  /// The timed chunks in order of return; instants on the master's clock, not yet relative to the start.
  std::vector<ChunkRecord> take_chunks() { return std::move(chunks_); }

 private:
  struct Held {
    Chunk chunk;
    double assigned_s = 0;
  };
  /// What one worker holds, oldest first: it reports in the order it was given. A ring of prefetch + 1.
  struct Queue {
    std::vector<Held> ring;
    std::size_t head = 0;
    std::size_t size = 0;
    Contribution contribution;
  };

  void serve();
  std::size_t collect();
  void handle(const Event& event);
  void returned(const Event& event);
  void commit(const Event& event, const Held& held);
  void retry_deferred();
  void refill(WorkerId worker);
  void tick();
  [[noreturn]] void fail(const Event& event);

  struct Deferred {
    Event event;
    Held held;
  };

  MasterEnd& end_;
  Dispatcher& dispatcher_;
  const RunControls& controls_;
  std::string iteration_name_;
  std::size_t depth_;
  std::vector<Queue> queues_;
  std::array<Event, 64> events_;
  std::vector<Deferred> deferred_;
  std::vector<ChunkRecord> chunks_;
  Index chunks_total_ = 0;
  Account account_;
  double now_s_ = 0;
  double start_s_ = 0;
  double finish_s_ = 0;
  double next_tick_s_ = 0;
};

}  // namespace loadshare
