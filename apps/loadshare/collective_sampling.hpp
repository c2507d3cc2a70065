#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "base/types.hpp"
#include "models/messages/calibration.hpp"

namespace loadshare::tool {

/// A collective call of one size, made a few times.
struct CollectiveVisit {
  std::string call;
  Index bytes = 0;  ///< as communication::CollectiveCosts has them
  Index repetitions = 1;
  Index warm_ups = 1;  ///< that go ahead untimed
};

/// One call: when its ranks began and ended it, in seconds on one time axis.
struct CollectiveTiming {
  std::vector<double> begun_s;
  std::vector<double> ended_s;

  /// From when the last began it until all had ended it.
  double seconds() const;
};

/// Processes that make collective calls together and time them, and the clock of who asks them to; see
/// PairExchange.
class CollectiveExchange {
 public:
  virtual ~CollectiveExchange() = default;

  /// One a repetition.
  virtual std::vector<CollectiveTiming> visit(const CollectiveVisit& visit) = 0;
  virtual double now_s() const = 0;
};

/// Which collective calls are measured, and for how long.
struct CollectiveOptions {
  std::vector<std::string> calls;
  Index min_bytes = 0;
  Index max_bytes = Index{4} << 20;
  double budget_s = 30;    ///< for each number of ranks
  Index repetitions = 30;  ///< of each call and size, where the budget allows
  Index seed = 1;          ///< of sizes and order
};

/// What was measured: of calls whose members leave together, how long they took, and of those with a root,
/// whose members leave one by one, their times by rank. Launch and number of ranks are left to the caller.
struct MeasuredCalls {
  std::vector<calibration::CollectiveSeries> together;
  std::vector<calibration::RootedSeries> rooted;

  /// Kinds and sizes with fewer repetitions.
  Index count_below(Index repetitions) const;
};

/// Decides which calls a group makes, in which order and how often: first each of them with ever larger
/// sizes, one an octave, as far as there is time for them, and then all of them over and over, each round in
/// another order, until there are enough times of each or the budget is used up. Between rounds it adds sizes
/// where a rank's shortest stay leaps, as where MPI changes its way. Pure, like MessageSampling.
class CollectiveSampling final {
 public:
  using OnProgress = std::function<void(Index, Index)>;

  CollectiveSampling(CollectiveOptions options, CollectiveExchange& exchange, OnProgress on_progress);

  MeasuredCalls run();

 private:
  struct Measured {
    std::vector<CollectiveTiming> calls;  ///< of those with a root
    std::vector<double> times_s;
    double spent_s = 0;  ///< with the calls that went ahead
  };
  struct Place {
    std::string call;
    Index bytes;

    auto operator<=>(const Place&) const = default;
  };

  double left_s(double share) const;
  void scout();
  void scout(const std::string& call, double budget_s);
  /// One size more for each call with a root where its times leap from one size to the next.
  void add_sizes();
  std::optional<Index> size_in_leap(const std::string& call) const;
  /// With a call that goes ahead, unless it takes so long that it does not feel what was before it.
  static CollectiveVisit visit_of(const Place& place, Index repetitions, double call_s);
  /// Those that have too few times yet and for which there is time; if some of them are due, these alone.
  std::vector<CollectiveVisit> next_visits() const;
  /// Whether there was anything to do.
  bool go_round();
  /// Whether it has had less than its share of the time so far: those that take long are not to take it all.
  bool is_due(const Measured& measured) const;
  void make(const CollectiveVisit& visit);
  void tell_progress() const;

  CollectiveOptions options_;
  CollectiveExchange& exchange_;
  OnProgress on_progress_;
  SplitMix64 random_;
  double begun_s_;
  std::map<Place, Measured> measured_;
};

}  // namespace loadshare::tool
