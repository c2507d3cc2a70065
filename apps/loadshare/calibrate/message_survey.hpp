#pragma once

#include <functional>
#include <map>
#include <vector>

#include "apps/loadshare/calibrate/pair_exchange.hpp"
#include "apps/loadshare/calibrate/scouting.hpp"
#include "apps/loadshare/calibrate/series.hpp"
#include "experiments/sweep/random.hpp"

namespace loadshare::tool {

/// Decides which messages a pair sends, in which order and how often: sizes over the whole range, then more
/// of them where times jump, then all kinds and sizes over and over, each round in another order, so that a
/// disturbance meets all alike; until each median is known well or the budget is used up. Pure: what is sent
/// and what the clock says is the exchange's.
class MessageSurvey final {
 public:
  /// Tells how many series of how many are known well.
  using OnProgress = std::function<void(Index, Index)>;

  MessageSurvey(SurveyOptions options, PairExchange& exchange, OnProgress on_progress);

  /// The series' launch and ranks are left to the caller.
  std::vector<calibration::MessageSeries> run();

 private:
  struct Kind {
    communication::SendMode mode;
    communication::ReceivePosted posted;
    auto operator<=>(const Kind&) const = default;
  };
  using Sizes = std::map<Index, Series>;

  bool has_time(double share) const;
  /// As many sizes an octave as can be repeated often enough in the time there is.
  int sizes_an_octave() const;
  double seconds_for(const std::vector<Index>& sizes) const;
  void spread();
  /// Adds sizes where there are jumps, until nothing is to be added.
  void sharpen();
  bool add_sizes_at_jumps();
  void add_sizes_at_threshold();
  void repeat();
  /// Visits, in a random order, every series that is not known well, or has no visit yet.
  enum class Which { unvisited, unfinished };
  bool visit_all(Which which, double share);
  void visit(const Kind& kind, Index bytes, Series& series);
  void tell_progress() const;

  SurveyOptions options_;
  PairExchange& exchange_;
  OnProgress on_progress_;
  sweep::SplitMix64 random_;
  double begun_s_;
  Scouting scouting_;
  std::map<Kind, Sizes> kinds_;
};

}  // namespace loadshare::tool
