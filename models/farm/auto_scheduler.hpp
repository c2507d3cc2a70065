#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/statistics.hpp"
#include "base/types.hpp"
#include "models/farm/prediction.hpp"
#include "models/farm/scenario.hpp"
#include "runtime/records/records.hpp"
#include "schedulers/chunk_scheduler.hpp"
#include "schedulers/table.hpp"

namespace loadshare::predictor {

using MakeScheduler = decltype(SchedulerEntry::make);

/// `auto` as an entry of a table of techniques; `make` makes it (AutoScheduler).
SchedulerEntry auto_entry(MakeScheduler make);

/// What farm applications take for --scheduler, for who reads specs only: here `auto` cannot be made.
SchedulerTable farm_schedulers();

/// The share of the predicted makespan that choosing may take, as a spec of `auto` says; throws UsageError
/// where that is too much.
double choosing_budget(const SchedulerSpec& spec);

/// What was observed so far in a run that goes on, from nothing but the chunks that came back: how fast each
/// worker computes, and what a chunk costs beside computing. Enough to predict the rest of the run where
/// nobody has calibrated anything.
class Observations {
 public:
  /// What is known of the farm before it runs.
  struct Farm {
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
  /// Seconds that worker computed in the chunks its speed is known by.
  double computing_s(std::size_t worker) const { return workers_[worker].computing_s; }
  bool has_any() const { return chunks_ > 0; }
  /// The speed of at least half of the workers is known.
  bool has_most() const;
  /// Iterations a chunk, of the chunks that speeds are known by.
  double mean_size() const;

  /// What is known at `now_s`, as a scenario of a loop of so many iterations, all alike. A worker of
  /// unknown speed is taken for the slowest known one, or for slower, where its first chunk has been computed
  /// for longer than that already. The speed of at least one must be known.
  Scenario scenario(Index iterations, double now_s = 0) const;

 private:
  struct Worker {
    Index returned = 0;
    Index first_size = 0;  // of the first chunk it was given, at first_given_s
    double first_given_s = 0;
    Index chunks = 0;
    double iterations = 0;
    double computing_s = 0;
    Index overheads = 0;  // chunks whose cost beside computing is known: so much in all
    double beside_s = 0;
    // Over its chunks: sums of what an iteration took in each, and of the squares of that.
    double each_s = 0, each_squared = 0;

    double iteration_s() const { return computing_s / iterations; }
    double mean_beside_s() const { return overheads > 0 ? beside_s / static_cast<double>(overheads) : 0; }
  };
  /// What a chunk costs beside computing: fixed_s + each_s * iterations.
  struct Overhead {
    double fixed_s = 0;
    double each_s = 0;
  };
  bool tells_overhead(const Worker& worker) const;
  bool is_near(const Worker& worker) const;
  double near_s() const;
  double chunk_deviation() const;
  double slowest_iteration_s() const;
  double iteration_s(const Worker& worker, double now_s) const;
  Overhead overhead(double now_s) const;
  std::optional<double> bandwidth() const;

  Farm farm_;
  std::vector<Worker> workers_;
  double begun_s_ = std::numeric_limits<double>::infinity();
  // Where first chunks wait: by when what they waited for had come to one host, as far as it is known.
  double arrived_s_ = std::numeric_limits<double>::infinity();
  Index chunks_ = 0;
  // Sums over the chunks of workers that need messages: of x = iterations, y = time beside computing.
  LineSums beside_;
};

/// How long a run that goes on will yet take: the predictor runs the whole loop with what was observed of its
/// workers. The predicted end is then shifted by how much earlier or later the committed iterations were done
/// than in virtual time. This accounts for the last stretch, when some workers have nothing to do any more,
/// which no rate of progress shows.
class Eta {
 public:
  /// Of a run of so many iterations by that technique; `schedulers` must outlive it.
  Eta(const SchedulerTable& schedulers, std::string spec, Index iterations);

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
  std::vector<Step> steps_;  // of the run in virtual time, ascending; thinned, so some thousand at most
  Step last_;
  Index chunks_ = 0, each_ = 1;  // of so many chunks, every each_-th is a step
};

/// Chooses technique and parameter by itself: small warm-up chunks show the workers' speeds and what a
/// chunk costs, the predictor runs every candidate over the rest of the loop in virtual time, and the best
/// one, or the simplest of those level with it, does the rest.
///
/// Choosing takes at most `budget` of the predicted run, as the clock that is handed in says: candidates that
/// there is no time for are left out, each technique's first ones are tried first.
class AutoScheduler final : public ChunkScheduler {
 public:
  struct Parameters {
    double budget = 0.01;  ///< share of the predicted makespan
    Observations::Farm farm = {};
  };
  /// `clock`: seconds from any instant. `record` receives the choice when it is made. Both must outlive this.
  AutoScheduler(const SchedulerTable& candidates, const LoopFacts& loop, const Parameters& parameters,
                std::function<double()> clock, ChoiceRecord& record);

  Cut next(const Request& request) override;
  void assigned(WorkerId worker, Chunk chunk) override;
  void reclaimed(WorkerId worker, Chunk chunk) override;
  void completed(const ChunkTimes& times) override;
  void joined(WorkerId worker, const WorkerFacts& facts) override;
  void left(WorkerId worker) override;
  Learned learned() const override;

 private:
  bool is_warmed_up(Index remaining) const;
  Index warm_up_size(WorkerId worker, Index remaining);
  void choose(Index remaining);
  std::vector<Prediction> predictions(const Scenario& rest, const std::vector<std::string>& specs,
                                      double begun_s) const;

  const SchedulerTable& table_;
  LoopFacts loop_;  // when the choice is made: what is left of it
  Parameters parameters_;
  std::function<double()> clock_;
  ChoiceRecord& record_;
  Observations observations_;
  std::vector<Index> given_;  // warm-up chunks, by worker
  double begun_s_ = -1;
  std::unique_ptr<ChunkScheduler> chosen_;
};

}  // namespace loadshare::predictor
