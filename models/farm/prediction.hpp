#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/farm/bounds.hpp"
#include "models/farm/farm_model.hpp"
#include "models/farm/race.hpp"
#include "models/farm/scenario.hpp"
#include "schedulers/table.hpp"

namespace loadshare::predictor {

/// What is forecast of one technique.
struct Prediction {
  std::string scheduler;            ///< canonical spec
  std::vector<double> makespans_s;  ///< of the replicates that were run to their end, in their order
  double makespan_s = 0;            ///< median
  double low_s = 0;                 ///< nine runs of ten lie between the two
  double high_s = 0;
  /// It left a race before its end. Then `makespan_s` is the best one's times the median ratio to that over
  /// the replicates that both have run, and nothing tells an interval.
  bool has_left = false;
  /// Share of the workers' time in which they computed a chunk, what loads and limits took meanwhile included
  /// (a record's computing and stolen together); means of the replicates.
  double busy = 0;
  double idle = 0;  ///< the rest: waiting for chunks, for the shared input, at the end
  double messages = 0;
  double lost_iterations = 0;       ///< that lost workers had begun, and others computed again; a mean, too
  double lost_s = 0;                ///< for which they had computed them
  Index most_at_once = 1;           ///< chunks that were simulated as one, at most: see BundledChunks
  Bounds bounds = {};               ///< the least of the replicates'
  Bound bound = Bound::work;        ///< of the middle replicate ...
  std::uint64_t middle_number = 0;  ///< ... whose makespan is the median, or the next below
};

/// What a scheduler is told of the scenario's loop, its times among it: who predicts knows them from a
/// record, as somebody would who gives them to the technique.
LoopFacts facts_of(const Scenario& scenario);

/// Makes the scenario of a replicate; see make_scenario().
using Replicates = std::function<Scenario(std::uint64_t)>;

/// The number of runs that a predictor has simulated; may be read at any time, by any thread.
using RunCount = std::atomic<std::uint64_t>;

/// Predicts several techniques on the same replicates, as many runs at a time as there are cores; what it
/// says does not depend on how many these are. Of few hosts it holds the scenarios of some replicates, of
/// many one a core, so that memory follows the hosts.
class Predictor {
 public:
  /// Replicates 1 to `replicates` tell how runs scatter; of fewer than 2 the middle one, number 0, is all
  /// that is run. `schedulers` must outlive it; `make` is called by several threads.
  Predictor(const SchedulerTable& schedulers, Replicates make, std::size_t replicates, int cores = 1,
            RunCount* count = nullptr);

  /// Throws UsageError on a spec that makes no sense.
  Prediction predict(const std::string& spec) const;
  /// Each of them, in the order given: who wants to know of all runs all replicates of all ...
  std::vector<Prediction> predict(const std::vector<std::string>& specs) const;
  /// ... who wants the best has them race.
  std::vector<Prediction> race(const std::vector<std::string>& specs) const;
  /// The chunks of its middle replicate, for a picture; the first so many, up to the first that were bundled.
  std::vector<ChunkRecord> chunks(const Prediction& of, std::size_t most) const;
  /// Number 0: without deviations of its own, and with the load's own seed.
  const Scenario& middle() const { return middle_; }

 private:
  /// What is kept of a simulated run; of one that was ended before its end, nothing but the time it exceeds.
  struct Figures {
    double makespan_s = 0;
    double busy = 0;
    double messages = 0;
    double lost_iterations = 0, lost_s = 0;
    Index most_at_once = 1;
    Bounds bounds = {};
    Bound bound = Bound::work;
    bool is_whole = false;
  };
  using Table = std::vector<std::vector<Figures>>;  // by candidate, by replicate

  void simulate(const std::vector<Race::Run>& runs, const std::vector<std::string>& specs,
                Table& figures) const;
  Figures simulated(const Scenario& scenario, const std::string& spec, const Race::Run& run) const;
  Prediction summary(const std::string& spec, const std::vector<Figures>& replicates) const;
  std::uint64_t number_of(std::size_t replicate) const { return replicates_ < 2 ? 0 : replicate + 1; }

  const SchedulerTable& schedulers_;
  Replicates make_;
  std::size_t replicates_;
  int cores_;
  RunCount* count_;
  Scenario middle_;
};

/// Which of several predictions to take.
struct Choice {
  std::size_t best = 0;            ///< the least median
  std::vector<std::size_t> level;  ///< cannot be told from it, itself included, in the order given
  std::size_t chosen = 0;          ///< of these the best of the technique that stands first in the table

  bool is_tie() const { return level.size() > 1; }
};

/// Chooses among predictions on the same replicates, at least one. Level with the best is whose median is at
/// most `level_ratio` times as long, as is the median over the pairs of replicates.
Choice choose(std::span<const Prediction> predictions, const SchedulerTable& table);

/// Where what is said of them refutes itself, in words: a run that is over before its work can be done, a tie
/// of what is not level. Empty: nowhere, as it should be.
std::string contradiction_in(std::span<const Prediction> predictions, const Choice& choice);

/// What a technique would make of the same loop if nothing changed.
struct WithoutChanges {
  double makespan_s = 0;                         ///< nobody comes, goes or is lost, and no journal is kept
  std::optional<double> without_journal_s = {};  ///< they do, and no journal is kept; nothing: none was
};

/// Of medians over so many replicates, as many runs at a time as there are cores.
WithoutChanges predict_without_changes(const FarmModel& model, const FarmSetting& setting,
                                       const Network& network, const SchedulerTable& table,
                                       const std::string& spec, std::size_t replicates, int cores = 1,
                                       RunCount* count = nullptr);

/// What the first so many ranks of a list would make of a loop.
struct HostCount {
  std::size_t hosts = 0;  ///< one rank each
  std::string scheduler;  ///< the best technique for them
  double makespan_s = 0;
  double gain = 0;  ///< what of the makespan each further host saved since the row before; 0 in the first
};

/// For some numbers of hosts from the fewest that can run the loop to all: every one where these are few. The
/// master's host is always among them, and each has the load of its place in the list. `schedulers`: specs,
/// none: those worth trying; medians of so many replicates, as many runs at a time as there are cores.
std::vector<HostCount> predict_host_counts(const FarmModel& model, const FarmSetting& setting,
                                           const Network& network, const SchedulerTable& table,
                                           const std::vector<std::string>& schedulers, std::size_t replicates,
                                           int cores = 1, RunCount* count = nullptr);

/// The fewest hosts whose makespan is within 5 % of the best of all rows.
const HostCount& enough_hosts(const std::vector<HostCount>& counts);

}  // namespace loadshare::predictor
