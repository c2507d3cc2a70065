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
  /// Adds sizes where standard sends begin to wait, until it is known well, and then of all kinds: MPI
  /// changes its way there wherever the receive is posted.
  void find_threshold();
  /// Adds sizes where times jump, until nothing is to be added.
  void sharpen();
  bool add_sizes_at_jumps(const Kind& kind);
  void repeat();

  struct Place {
    Kind kind;
    Index bytes;
    Series* series;
  };
  std::vector<Place> places();
  /// Whether it has had less than its share of the time so far, or too few visits to say anything.
  bool is_due(const Place& place, std::size_t among) const;
  void visit_new();
  /// Visits every series that is not known well and is due; where none is, all that are not known well.
  bool visit_unfinished(double share);
  /// In a random order, until so much of the budget is used up.
  void visit_all(std::vector<Place> places, double share);
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
