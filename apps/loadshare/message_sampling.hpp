#pragma once

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <span>
#include <vector>

#include "apps/loadshare/message_sizes.hpp"
#include "base/random.hpp"
#include "base/types.hpp"
#include "models/messages/calibration.hpp"
#include "models/messages/message_costs.hpp"

namespace loadshare::tool {

/// What is measured between two ranks, and for how long.
struct SamplingOptions {
  Index min_bytes = 0;
  Index max_bytes = Index{4} << 20;
  std::vector<Index> sizes;  ///< in bytes, these alone, in order; empty: spread from the least to the most
  std::vector<communication::SendMode> modes{communication::send_modes.begin(),
                                             communication::send_modes.end()};
  Index seed = 1;          ///< of sizes and order
  double budget_s = 40;    ///< after which a pair is left as it is
  Index repetitions = 30;  ///< at least so many of each kind and size, where the budget allows
  Index most_repetitions = 400;
  double within = 0.02;  ///< the medians' intervals reach no further, as a share of them

  Index least_size() const { return sizes.empty() ? min_bytes : sizes.front(); }
  Index most_size() const { return sizes.empty() ? max_bytes : sizes.back(); }
};

/// What takes longer does not feel what was in the caches before it.
inline constexpr double worth_warming_s = 20e-3;

/// How messages are sent and received.
struct MessageKind {
  communication::SendMode mode = communication::SendMode::standard;
  communication::ReceivePosted posted = communication::ReceivePosted::before;

  auto operator<=>(const MessageKind&) const = default;
};

/// The modes with the receive posted before and after, as far as MPI allows it.
std::vector<MessageKind> kinds_of(const SamplingOptions& options);

/// A few messages of one kind and size, sent one after the other.
struct Visit {
  communication::SendMode mode = communication::SendMode::standard;
  communication::ReceivePosted posted = communication::ReceivePosted::before;
  Index bytes = 0;
  Index warm_ups = 0;  ///< that go ahead untimed, so that times do not depend on what was sent before
  Index repetitions = 1;
  double stay_s = 0;  ///< posted after: how long the receiver stays away from MPI
};

/// Two processes that send each other messages and time them, and the clock of who asks them to. Who decides
/// what is sent walks this interface; tests hand in their own.
class PairExchange {
 public:
  virtual ~PairExchange() = default;

  /// One timing a repetition, or fewer where some went wrong, at least one. Throws Error (run_failed).
  virtual std::vector<calibration::MessageTiming> visit(const Visit& visit) = 0;
  virtual double now_s() const = 0;
};

/// Messages of one kind and size while they are being measured. Those of one visit are like each other, as
/// moments are, so how well the median is known is judged by the medians of the visits.
class Series final {
 public:
  /// Not empty.
  void add(std::span<const calibration::MessageTiming> visit);

  /// Whether more would tell little.
  bool is_enough(const SamplingOptions& options) const;
  /// At least one visit was there.
  SizePoint point(Index bytes) const;
  const std::vector<calibration::MessageTiming>& messages() const { return messages_; }

 private:
  std::vector<calibration::MessageTiming> messages_;
  std::vector<double> sender_medians_s_;  // by visit
  std::vector<double> receiver_medians_s_;
};

/// A first look at a pair, of which no sample is kept (connections are made, memory is touched): how long
/// messages take and which of them wait, so that visits can be made to measure.
class Scouting final {
 public:
  /// Sends some standard messages of every octave of sizes from empty ones up, as far as one message of each
  /// kind takes no more than a good share of the budget.
  Scouting(const SamplingOptions& options, PairExchange& exchange);

  /// How to send messages of one kind and size: several where they are short, for as long as a visit is
  /// worth; the receiver away for longer than it takes MPI to deliver what does not wait for it.
  Visit visit(communication::SendMode mode, communication::ReceivePosted posted, Index bytes) const;
  /// About what a message of such a visit costs.
  double seconds_a_message(const Visit& visit) const;
  /// About how long a message travels whose receive is posted: that of the next larger size looked at.
  double message_s(Index bytes) const;
  /// The largest messages there is time for.
  Index most_bytes() const { return seen_.rbegin()->first; }

 private:
  struct Seen {
    double message_s = 0;
    bool has_waited = false;
  };

  /// Of a size larger than all so far.
  double expected_s(Index bytes) const;
  void look_at(Index bytes, PairExchange& exchange);
  /// Posted after: how long the receiver stays away.
  double stay_s(communication::SendMode mode, Index bytes) const;
  /// Whether MPI delivers so large a message only when its receive is posted, however it was sent.
  bool is_held_back(Index bytes) const;

  std::map<Index, Seen> seen_;
};

/// Decides which messages a pair sends, in which order and how often: sizes over the whole range, then more
/// of them where times jump, then all kinds and sizes over and over, each round in another order, so that a
/// background_load meets all alike; until each median is known well or the budget is used up. Where long
/// messages would use it up, there are few sizes of them: their times lie on a line. Pure: what is sent and
/// what the clock says is the exchange's.
class MessageSampling final {
 public:
  /// Tells how many series of how many are known well.
  using OnProgress = std::function<void(Index, Index)>;

  MessageSampling(SamplingOptions options, PairExchange& exchange, OnProgress on_progress);

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
  /// Of the jumps that are at least half as wide as the widest, so that there is time for all of them before
  /// any is known to a few bytes.
  bool add_sizes_at_jumps();
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

  SamplingOptions options_;
  PairExchange& exchange_;
  OnProgress on_progress_;
  SplitMix64 random_;
  double begun_s_;
  Scouting scouting_;
  double long_s_ = std::numeric_limits<double>::infinity();  ///< messages that take longer come last
  std::map<MessageKind, Sizes> kinds_;
};

}  // namespace loadshare::tool
