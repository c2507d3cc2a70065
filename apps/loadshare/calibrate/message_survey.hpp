#pragma once

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <vector>

#include "apps/loadshare/calibrate/pair_exchange.hpp"
#include "apps/loadshare/calibrate/scouting.hpp"
#include "apps/loadshare/calibrate/series.hpp"
#include "experiments/sweep/random.hpp"

namespace loadshare::tool {

/// Decides which messages a pair sends, in which order and how often: sizes over the whole range, then more
/// of them where times jump, then all kinds and sizes over and over, each round in another order, so that a
/// disturbance meets all alike; until each median is known well or the budget is used up. Where long messages
/// would use it up, there are few sizes of them: their times lie on a line. Pure: what is sent and what the
/// clock says is the exchange's.
class MessageSurvey final {
 public:
  /// Tells how many series of how many are known well.
  using OnProgress = std::function<void(Index, Index)>;

  MessageSurvey(SurveyOptions options, PairExchange& exchange, OnProgress on_progress);

  /// The series' launch and ranks are left to the caller. Throws UsageError where there is no time for any
  /// message that is asked for.
  std::vector<calibration::MessageSeries> run();
  /// The largest messages there was time for, if they were asked for.
  Index most_bytes() const { return std::min(options_.most_size(), scouting_.most_bytes()); }

 private:
  using Sizes = std::map<Index, Series>;

  bool has_time(double share, double for_s = 0) const;
  double seconds_for(const Visit& visit) const;
  /// For the least repetitions of all kinds.
  double seconds_for(const std::vector<Index>& sizes) const;
  bool can_repeat(const std::vector<Index>& sizes) const;
  void require_time() const;
  /// Those that are asked for; else as many an octave as can be repeated often enough in the time there is.
  std::vector<Index> first_sizes();
  std::vector<Index> spread_sizes(int per_octave) const;
  /// One size an octave, and of those that take long the largest alone: their times lie on a line.
  std::vector<Index> thinned_sizes();
  void spread();
  /// Adds sizes where standard sends begin to wait, until it is known well, and then of all kinds: MPI
  /// changes its way there wherever the receive is posted.
  void find_threshold();
  /// Adds sizes where times jump, until nothing is to be added.
  void sharpen();
  bool add_sizes_at_jumps(const MessageKind& kind);
  void repeat();

  struct Place {
    MessageKind kind;
    Index bytes;
    Series* series;
  };
  std::vector<Place> places();
  Visit visit_of(const Place& place) const;
  /// Whether it has too few messages yet, or has had less than its share of the time so far.
  bool is_due(const Place& place, std::size_t among) const;
  /// Whether there were any for which there was time.
  bool visit_new(double share);
  /// Visits every series that is not known well and is due; where none is, all that are not known well.
  /// Whether there were any for which there was time.
  bool visit_unfinished(double share);
  /// In a random order, those that end before so much of the budget is used up.
  bool visit_all(std::vector<Place> places, double share);
  void tell_progress() const;

  SurveyOptions options_;
  PairExchange& exchange_;
  OnProgress on_progress_;
  sweep::SplitMix64 random_;
  double begun_s_;
  Scouting scouting_;
  double long_s_ = std::numeric_limits<double>::infinity();  ///< messages that take longer come last
  std::map<MessageKind, Sizes> kinds_;
};

}  // namespace loadshare::tool
