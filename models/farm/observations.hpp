#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/statistics.hpp"
#include "base/types.hpp"
#include "models/farm/cost_trend.hpp"
#include "models/farm/scenario.hpp"
#include "runtime/records/records.hpp"
#include "schedulers/table.hpp"

namespace loadshare::predictor {

/// What was observed so far in a run that goes on, from nothing but the chunks that came back: how fast each
/// worker computes, and what a chunk costs beside computing. Enough to predict the rest of the run where
/// nobody has calibrated anything.
class Observations {
 public:
  /// What is known of the farm before it runs.
  struct Farm {
    Index iterations = 0;
    std::size_t prefetch = 0;
    Reissue reissue = Reissue::off;
    double input_each = 0;    ///< bytes an iteration
    double result_each = 0;   ///< ditto
    double shared_bytes = 0;  ///< that every host needs; first chunks wait for them, and tell no speed then

    bool do_first_chunks_wait() const { return shared_bytes > 0; }
  };
  Observations(std::size_t workers, const Farm& farm) : farm_(farm), workers_(workers) {}

  /// Its first chunk was given, at `now_s` on any clock.
  void given(WorkerId worker, Index size, double now_s);
  bool was_given(WorkerId worker) const {
    return to_number(worker) < workers_.size() && workers_[to_number(worker)].first_size > 0;
  }
  void completed(const ChunkTimes& times);

  std::size_t workers() const { return workers_.size(); }
  bool has_any() const;
  /// The speed of at least half of the workers is known.
  bool has_most() const;
  bool has_all() const;
  /// Iterations per second by worker; 0: not known.
  std::vector<double> rates() const;
  /// Iterations a chunk, of the chunks that speeds are known by.
  double mean_size() const;

  /// What is known at `now_s`, as a scenario of a loop of so many iterations, all alike. A worker of
  /// unknown speed is taken for the slowest known one, or for slower, where its first chunk has been computed
  /// for longer than that already. The speed of at least one must be known.
  Scenario scenario(Index iterations, double now_s = 0) const;

  /// Predicts how long workers take for chunks.
  class Expected {
   public:
    explicit Expected(const Observations& seen);
    /// Returns at most twice the mean of the iterations that have returned, because a trend may end.
    double seconds(WorkerId worker, Chunk chunk) const;

   private:
    const Observations& seen_;
    CostTrend trend_;
    double mean_s_ = 0;  // of an iteration
    double slowest_s_;
  };

 private:
  struct Worker {
    Index returned = 0;
    Index first_size = 0;  // of the first chunk it was given, at first_given_s
    double first_given_s = 0;
    bool is_provisional = false;  // its speed, by a chunk that was slowed by the broadcast input's coming
    TrendSums costs;              // of the chunks its speed is known by
    Index overheads = 0;          // chunks whose cost beside computing is known: so much in all
    double beside_s = 0;

    double mean_beside_s() const { return overheads > 0 ? beside_s / static_cast<double>(overheads) : 0; }
  };
  /// What a chunk costs beside computing: fixed_s + each_s * iterations.
  struct Overhead {
    double fixed_s = 0;
    double each_s = 0;
  };
  void note_arrival(double by_s, bool is_close);
  void add_costs(Worker& worker, const ChunkTimes& times, double compute_s);
  bool tells_overhead(const Worker& worker) const;
  bool is_near(const Worker& worker) const;
  double near_s() const;
  double chunk_deviation() const;
  CostTrend trend() const;
  double slowest_iteration_s(const CostTrend& trend) const;
  double iteration_s(const Worker& worker, const CostTrend& trend, double now_s) const;
  double middle_of(Chunk chunk) const;
  Overhead overhead(double now_s) const;
  std::optional<double> bandwidth() const;

  Farm farm_;
  std::vector<Worker> workers_;
  double begun_s_ = std::numeric_limits<double>::infinity();
  // Where first chunks wait: by when what they waited for had come to one host, as far as it is known.
  double arrived_s_ = std::numeric_limits<double>::infinity();
  bool is_arrival_close_ = false;  // hardly sooner: the chunk was on its way for longer than it computed
  // Sums over the chunks of workers that need messages: of x = iterations, y = time beside computing.
  LineSums beside_;
};

/// Tells `hear` what a scheduler heard of a recorded run: each chunk that counted, in order of return, with
/// the time at which it was given.
void replay(const RunRecord& run, const std::function<void(const ChunkTimes&, double given_s)>& hear);

/// What iterations and chunks of a recorded run took, over all of its workers; nothing of a run without
/// chunks.
std::optional<LoopTimes> measured_times(const RunRecord& run);

/// A chunk that a worker is computing, and its reported progress.
struct WatchedChunk {
  WorkerId worker{};
  Chunk chunk;
  double since_s = 0;  ///< its computing began
  Index done = 0;      ///< iterations that its worker reported as done at `said_s`; 0: no report yet
  double said_s = 0;
  Index queued = 0;  ///< iterations queued after it at its worker
};

/// Returns the seconds until the last worker has computed what it holds. The rest of a chunk follows from its
/// worker's reports, or from the expected time of such a chunk. If the chunk takes longer, or its worker has
/// reported no progress for some time, the rest is at least a quarter of that time: the later a chunk is, the
/// longer it may last.
double longest_rest_s(const Observations& seen, std::span<const WatchedChunk> chunks, double now_s);

/// How long a run that goes on will yet take: the predictor runs the whole loop with what was observed of its
/// workers. The predicted end is then shifted by how much earlier or later the committed iterations were done
/// than in virtual time. This accounts for the last stretch, when some workers have nothing to do any more,
/// which no rate of progress shows. Once all iterations are given, what the workers hold tells more: see
/// longest_rest_s.
class Eta {
 public:
  /// Of a run of so many iterations by that technique, which may want to know what an earlier one took;
  /// `schedulers` must outlive it.
  Eta(const SchedulerTable& schedulers, std::string spec, Index iterations,
      std::optional<LoopTimes> times = std::nullopt);

  /// Predicts the run anew from what was observed until `now_s`. Costs a simulation of the whole run.
  void predict(const Observations& observations, double now_s);
  /// When the run will end, seconds since its start, if the latest of `done` committed iterations was so at
  /// `done_s`, and none since then until `now_s`; nothing before the first predict().
  std::optional<double> end_s(Index done, double done_s, double now_s) const;

 private:
  struct Step {
    double at_s = 0;
    Index done = 0;
  };
  void add_step(const ChunkRecord& chunk);

  const SchedulerTable& schedulers_;
  std::string spec_;
  Index iterations_;
  std::optional<LoopTimes> times_;
  std::vector<Step> steps_;  // of the run in virtual time, ascending; thinned, so some thousand at most
  Step last_;
  Index chunks_ = 0, each_ = 1;  // of so many chunks, every each_-th is a step
};

}  // namespace loadshare::predictor
