#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "apps/loadshare/calibrate/collective_exchange.hpp"
#include "experiments/sweep/random.hpp"
#include "models/calibration/calibration.hpp"

namespace loadshare::tool {

/// Which collective calls are measured, and for how long.
struct CollectiveOptions {
  std::vector<std::string> calls;
  Index max_bytes = Index{4} << 20;
  double budget_s = 30;    ///< for each number of ranks
  Index repetitions = 30;  ///< of each call and size, where the budget allows
  Index seed = 1;          ///< of sizes and order
};

/// Decides which calls a group makes, in which order and how often: first each of them with ever larger
/// sizes, one an octave, as far as there is time for them, and then all of them over and over, each round in
/// another order, until there are enough times of each or the budget is used up. Pure, like MessageSurvey.
class CollectiveSurvey final {
 public:
  using OnProgress = std::function<void(Index, Index)>;

  CollectiveSurvey(CollectiveOptions options, CollectiveExchange& exchange, OnProgress on_progress);

  /// The series' launch and number of ranks are left to the caller.
  std::vector<calibration::CollectiveSeries> run();

 private:
  using Times = std::vector<double>;
  struct Place {
    std::string call;
    Index bytes;

    auto operator<=>(const Place&) const = default;
  };

  double left_s(double share) const;
  void scout();
  void scout(const std::string& call, double budget_s);
  /// Whether there was one for which there was time.
  bool go_round();
  Index repetitions_of(double call_s) const;
  void tell_progress() const;

  CollectiveOptions options_;
  CollectiveExchange& exchange_;
  OnProgress on_progress_;
  sweep::SplitMix64 random_;
  double begun_s_;
  std::map<Place, Times> times_;
};

}  // namespace loadshare::tool
