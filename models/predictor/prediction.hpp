#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "models/predictor/bounds.hpp"
#include "models/predictor/outcome.hpp"
#include "models/predictor/scenario.hpp"
#include "schedulers/table.hpp"

namespace loadshare::predictor {

/// What is foretold of one technique.
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

}  // namespace loadshare::predictor
