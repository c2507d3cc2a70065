#pragma once

#include <map>

#include "apps/loadshare/calibrate/pair_exchange.hpp"
#include "apps/loadshare/calibrate/survey_options.hpp"

namespace loadshare::tool {

/// A first look at a pair, of which no sample is kept (connections are made, memory is touched): how long
/// messages take and which of them wait, so that visits can be made to measure.
class Scouting final {
 public:
  /// Sends some standard messages of every octave of sizes from empty ones up, as far as one message of each
  /// kind takes no more than a good share of the budget.
  Scouting(const SurveyOptions& options, PairExchange& exchange);

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

}  // namespace loadshare::tool
