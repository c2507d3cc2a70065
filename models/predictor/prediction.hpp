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
  double busy = 0;  ///< share of the workers' time that went into computing; means of the replicates
  double idle = 0;  ///< the rest: waiting for chunks, for the shared input, at the end
  double messages = 0;
  Bounds bounds;
  Bound bound = Bound::work;  ///< of the middle replicate
};

/// Makes the scenario of a replicate; see make_scenario().
using Replicates = std::function<Scenario(std::uint64_t)>;

/// Predicts several techniques on the same replicates, 1 to `replicates`: of one alone number 0. Throws
/// UsageError on a spec that makes no sense.
class Predictor {
 public:
  Predictor(const SchedulerTable& schedulers, const Replicates& make, std::size_t replicates);

  Prediction predict(const std::string& spec) const;
  /// The chunks of the middle replicate, for a picture.
  std::vector<ChunkRecord> chunks(const std::string& spec) const;
  const Scenario& middle() const { return middle_; }

 private:
  const SchedulerTable& schedulers_;
  Scenario middle_;
  std::vector<Scenario> scenarios_;
};

}  // namespace loadshare::predictor
