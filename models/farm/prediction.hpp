#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/farm/farm_model.hpp"
#include "models/farm/scenario.hpp"
#include "schedulers/table.hpp"

namespace loadshare::predictor {

/// What keeps a run from being shorter.
enum class Bound { work, master, network, last_chunk };

std::string_view name_of(Bound bound);

/// No run of the scenario with so many chunks ends sooner than each of these; seconds.
struct Bounds {
  double work_s = 0;     ///< all iterations, shared perfectly; the middle run's, whose chunks do not scatter
  double master_s = 0;   ///< what the master's processor has to do
  double network_s = 0;  ///< what has to go through the master's port, in or out
};

/// Of a scenario, and of what went through the master in a run of it.
Bounds bounds_of(const Scenario& scenario, const Outcome& outcome);

/// What the run ran into: the resource of the master that was busy for most of it; else the last chunk, where
/// workers waited for it for longer than for anything else; else the work.
Bound binding_bound(const Bounds& bounds, const Outcome& outcome);

/// The time that workers, in the mean, stood idle at the end, while others had their last chunks.
double tail_s(const Outcome& outcome);

/// What is forecast of one technique.
struct Prediction {
  std::string scheduler;            ///< canonical spec
  std::vector<double> makespans_s;  ///< of the replicates, in their order
  double makespan_s = 0;            ///< median
  double low_s = 0;                 ///< nine runs of ten lie between the two
  double high_s = 0;
  /// Share of the workers' time in which they computed a chunk, what loads and limits took meanwhile included
  /// (a record's computing and stolen together); means of the replicates.
  double busy = 0;
  double idle = 0;  ///< the rest: waiting for chunks, for the shared input, at the end
  double messages = 0;
  Bounds bounds = {};
  Bound bound = Bound::work;  ///< of the middle replicate
};

/// Makes the scenario of a replicate; see make_scenario().
using Replicates = std::function<Scenario(std::uint64_t)>;

/// Predicts several techniques on the same replicates. Holds one scenario at a time, so that memory follows
/// the hosts.
class Predictor {
 public:
  /// Replicates 1 to `replicates` tell how runs scatter; of fewer than 2 the middle one, number 0, is all
  /// that is run. `schedulers` must outlive it.
  Predictor(const SchedulerTable& schedulers, Replicates make, std::size_t replicates);

  /// Throws UsageError on a spec that makes no sense.
  Prediction predict(const std::string& spec) const;
  /// The chunks of the middle replicate, for a picture; the first so many.
  std::vector<ChunkRecord> chunks(const std::string& spec, std::size_t most) const;
  const Scenario& middle() const { return middle_; }

 private:
  Outcome run(const Scenario& scenario, const std::string& spec, std::uint64_t number) const;

  const SchedulerTable& schedulers_;
  Replicates make_;
  std::size_t replicates_;
  Scenario middle_;
};

/// Which of several predictions to take.
struct Choice {
  std::size_t best = 0;            ///< the least median
  std::vector<std::size_t> level;  ///< cannot be told from it, itself included, in the order given
  std::size_t chosen = 0;          ///< of these the best of the technique that stands first in the table

  bool is_tie() const { return level.size() > 1; }
};

/// By how much a prediction may be longer than the best and still be level with it: a model knows no better.
inline constexpr double level_ratio = 1.01;

/// Chooses among predictions on the same replicates, at least one. Level with the best is who takes at most
/// `level_ratio` times as long in the median over the pairs of replicates.
Choice choose(std::span<const Prediction> predictions, const SchedulerTable& table);

/// What the first so many ranks of a list would make of a loop.
struct HostCount {
  std::size_t hosts = 0;  ///< one rank each
  std::string scheduler;  ///< the best technique for them
  double makespan_s = 0;
  double gain = 0;  ///< what of the makespan each further host saved since the row before; 0 in the first
};

/// For some numbers of hosts from the fewest that can run the loop to all: every one where these are few. The
/// master's host is always among them, and each has the load of its place in the list. `schedulers`: specs,
/// none: those worth trying; medians of so many replicates.
std::vector<HostCount> predict_host_counts(const FarmModel& model, const FarmSetting& setting,
                                           const Network& network, const SchedulerTable& table,
                                           const std::vector<std::string>& schedulers,
                                           std::size_t replicates);

/// The fewest hosts whose makespan is within 5 % of the best of all rows.
const HostCount& enough_hosts(const std::vector<HostCount>& counts);

}  // namespace loadshare::predictor
