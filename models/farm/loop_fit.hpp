#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "models/farm/loop_cost.hpp"
#include "runtime/records/records.hpp"

namespace loadshare::predictor {

/// What of a control group's grant computing had: by share, from 0.5 to 1. The rest went to the same group's
/// other threads, which carry messages and look for them.
///
/// A chunk that takes c of processor time takes a + c / (share * cpu_efficiency) in all, where a tells of the
/// turns in which the group is granted its time: so it is a slope, over the chunks of workers that began
/// after the shared input had come, in runs without a load. A share whose chunks are too few or too much
/// alike for a slope is left out.
std::map<double, double> cpu_efficiencies(std::span<const RunRecord> runs);

/// What an iteration costs, and how that depends on the chunk and the host, from the chunks of runs of one
/// loop. The processor time y of a chunk of n iterations with the work w on host h is
///
///     y = w * seconds_per_work * factor(n) / speed(h)
///
/// with a factor for each share of a processor that hosts were granted: who is stopped every few milliseconds
/// finds its caches cold. The factors are ratios of sums, so the processor time of a whole run comes out as
/// it was; of several runs, as that of the middle one.
struct LoopFit {
  double seconds_per_work = 0;  ///< on the reference: the widest chunks on hosts of the largest share
  struct OfShare {
    double share = 1;
    WidthFactor factor;
    /// What of the grant computing had, in long chunks: carrying messages and looking for them took the rest.
    double cpu_efficiency = 1;
  };
  std::vector<OfShare> factors;          ///< by share, descending
  std::map<std::string, double> speeds;  ///< of the hosts, among those of equal share; 1 in the mean
  ChunkScatter scatter;                  ///< of a chunk's time about its run's
  /// Of the logarithm of a further run's cost about the fitted one: the standard deviation of the normal
  /// distribution whose middle 9 of 10 are those of Student's t for so few runs. 0 where there is only one.
  double run_deviation = 0;
  std::size_t runs = 0;  ///< that were fitted
  /// Computing waits (asleep, or for a device) and takes wall time: neither a load nor a limit slows it.
  bool waits = false;

  Index narrowest = 0;  ///< chunks that were seen
  Index widest = 0;

  /// What was seen of the nearest share.
  const OfShare& of_share(double share) const;
};

/// Of runs with a master, whose chunks were timed; at least one chunk of which took time. Throws UsageError
/// where there is none.
LoopFit fit_loop(std::span<const RunRecord> runs);

/// How much more processor time the run's chunks took than the fit says: how slow its machine was just then.
/// 1 where the run has no timed chunk.
double relative_cost(const LoopFit& fit, const RunRecord& run);

/// What so many iterations cost whose work stands in equal parts of the loop, as LoopRecord has it: as many
/// seconds a unit as given.
LoopCost loop_cost(Index iterations, const std::vector<double>& work, double seconds_per_work);

}  // namespace loadshare::predictor
