#pragma once

#include <memory>
#include <vector>

#include "apps/loadshare/calibrate/pair_exchange.hpp"
#include "apps/loadshare/calibrate/timing.hpp"

namespace loadshare::tool {

class AttachedBuffer;
class PairLink;

/// The end of a pair that sends, and says what.
///
/// Posted before: the receiver posts its receive and tells the sender to go, who waits for that and then
/// begins at once. Posted after: the sender announces the message and begins at once; the receiver stays away
/// from MPI for longer than a message needs that does not wait, and then receives. Each message ends with an
/// acknowledgement, which also takes the sender back into MPI: what is left of a large buffered send moves on
/// only there. Every visit begins with round trips of nothing.
class MessageSender final : public PairExchange {
 public:
  /// Collective over the two; `pair` are ranks of the world. `clock_s` is a look at the own clock.
  MessageSender(const calibration::Pair& pair, Index most_bytes, double clock_s);
  ~MessageSender() override;

  /// A message whose receive was not posted as asked is left out; where that would leave none, the receiver
  /// stays away for longer.
  std::vector<calibration::MessageTiming> visit(const Visit& visit) override;
  double now_s() const override;
  /// Lets the receiver go; no visit after it.
  void end();

  const std::vector<double>& round_trips_s() const { return round_trips_s_; }
  /// What is not among the timings.
  struct Discarded {
    Index visits = 0;    ///< in which one of the two lost its processor
    Index messages = 0;  ///< whose receive was posted too early
  };
  const Discarded& discarded() const { return discarded_; }

 private:
  struct Attempt {
    std::vector<calibration::MessageTiming> timings;
    bool is_disturbed = false;
  };
  Attempt attempt(const Visit& visit);
  std::vector<calibration::MessageTiming> timings_of(const Visit& visit, const std::vector<SentStamps>& sent);
  void make_round_trips();
  SentStamps send(const Visit& visit);
  Distance distance() const;

  std::unique_ptr<PairLink> link_;
  std::unique_ptr<AttachedBuffer> buffer_;
  double own_clock_s_;
  double receiver_clock_s_ = 0;
  std::vector<double> round_trips_s_;
  Index visits_ = 0;
  Discarded discarded_;
};

}  // namespace loadshare::tool
