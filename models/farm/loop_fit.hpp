#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "models/farm/cost_profile.hpp"
#include "models/farm/loop_cost.hpp"
#include "runtime/records/records.hpp"

namespace loadshare::predictor {

/// How far runs are apart where nothing tells, as LoopFit::run_deviation has it.
inline constexpr double usual_run_deviation = 0.02;

/// What a chunk should cost by the others of its loop.
using ExpectedCost = std::function<double(const Chunk&)>;

/// What of a control group's grant computing had: by share, from 0.5 to 1. The rest went to the same group's
/// other threads, which carry messages and look for them.
///
/// A chunk that takes c of processor time takes a + c / (share * cpu_efficiency) in all, where a tells of the
/// turns in which the group is granted its time: so it is a slope, over the chunks of workers that began
/// after the shared input had come, in runs without a load. A share whose chunks are too few, or should cost
/// too much alike for a slope, is left out.
std::map<double, double> cpu_efficiencies(std::span<const RunRecord> runs, const ExpectedCost& expected_s);

/// What the iterations of a loop cost, in the middle and in draws of what else they may cost (CostProfile),
/// and on whom: from the processor time of chunks of runs of one loop, or given by hand. A further run's cost
/// is that of the middle run but for its own deviation: a run in which others had the machine decides
/// nothing.
struct LoopFit {
  LoopCost cost;  ///< on the reference: hosts of the largest share, in wide chunks
  struct OfShare {
    double share = 1;
    WidthFactor factor;
    double slowness = 1;  ///< beside the largest share: who is stopped again and again finds caches cold
    /// What of the grant computing had, in long chunks: carrying messages and looking for them took the rest.
    double cpu_efficiency = 1;
  };
  std::vector<OfShare> factors;          ///< by share, descending
  std::map<std::string, double> speeds;  ///< of the hosts, among those of equal share; 1 in the mean
  ChunkScatter scatter;                  ///< of a chunk's time about its run's
  /// Of the logarithm of a further run's cost about the fitted one: the standard deviation of the normal
  /// distribution whose middle 9 of 10 are those of Student's t for so few runs.
  double run_deviation = 0;
  double run_factor = 1;  ///< how slow the run in question is, where that is known
  std::size_t runs = 0;   ///< that were fitted
  /// The share of the cost in which bodies waited (asleep, for a device, for another program). An iteration
  /// costs its processor time plus that wall time, until waiting has a model of its own.
  double waiting_share = 0;
  bool waits = false;  ///< it mostly waits: neither a load nor a limit slows it

  Index narrowest = 0;  ///< chunks that were seen
  Index widest = 0;
  /// Why this foretells no run, in words: what half of the chunks took is not what the others tell. Empty: it
  /// is.
  std::string refutation;

  /// What was seen of the nearest share.
  const OfShare& of_share(double share) const;
  /// One of those that the chunks allow, the same for the same number; this one itself, if given by hand.
  LoopFit drawn(std::uint64_t number) const;

  std::shared_ptr<const CostProfile> profile;  ///< nothing: given by hand, and certain
  std::vector<std::string> hosts;              ///< as the profile numbers them
};

/// Of runs with a master, whose chunks were timed; at least one chunk of which took time. Throws UsageError
/// where there is none.
LoopFit fit_loop(std::span<const RunRecord> runs);

/// How long a chunk computes on that rank with nothing beside it, in a run like the middle one.
double computing_s(const LoopFit& fit, const RankRecord& rank, const Chunk& chunk);

/// How much more processor time the run's chunks took than the fit says: how slow its machine was just then.
/// 1 where the run has no timed chunk.
double relative_cost(const LoopFit& fit, const RunRecord& run);

}  // namespace loadshare::predictor
