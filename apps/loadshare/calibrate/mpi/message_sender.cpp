#include "apps/loadshare/calibrate/mpi/message_sender.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "apps/loadshare/calibrate/mpi/attached_buffer.hpp"
#include "apps/loadshare/calibrate/mpi/pair_link.hpp"
#include "experiments/sweep/stop_rule.hpp"
#include "runtime/timing/clock.hpp"

namespace loadshare::tool {
namespace {

using communication::ReceivePosted;
using communication::SendMode;

struct SendCall {
  SendMode mode;
  const char* name;
  int (*send)(const void*, int, MPI_Datatype, int, int, MPI_Comm);
};

constexpr std::array send_calls{SendCall{SendMode::standard, "MPI_Send", MPI_Send},
                                SendCall{SendMode::buffered, "MPI_Bsend", MPI_Bsend},
                                SendCall{SendMode::synchronous, "MPI_Ssend", MPI_Ssend},
                                SendCall{SendMode::ready, "MPI_Rsend", MPI_Rsend}};

constexpr std::ptrdiff_t recent_round_trips = 31;

/// A buffered message may lie there until its sender is in MPI again, which the next one is not to wait for.
std::size_t buffer_bytes(Index most_bytes) {
  return 2 * (static_cast<std::size_t>(most_bytes) + MPI_BSEND_OVERHEAD);
}

}  // namespace

MessageSender::MessageSender(const calibration::Pair& pair, Index most_bytes, double clock_s)
    : link_(std::make_unique<PairLink>(pair, most_bytes)),
      buffer_(std::make_unique<AttachedBuffer>(buffer_bytes(most_bytes))),
      own_clock_s_(clock_s) {
  link_->receive_bytes(&receiver_clock_s_, sizeof(receiver_clock_s_));
}
MessageSender::~MessageSender() = default;

double MessageSender::now_s() const {
  return monotonic_s();
}

/// A visit in whose midst one of the two lost its processor tells of other processes, not of messages. Where
/// that is the rule (a host that is shared, or has a quota) it is what messages cost there.
std::vector<calibration::MessageTiming> MessageSender::visit(const Visit& asked) {
  ++visits_;
  for (Visit visit = asked;;) {
    Attempt made = attempt(visit);
    const bool is_bad = made.is_disturbed && 2 * discarded_.visits < visits_;
    if (!made.timings.empty() && !is_bad) return std::move(made.timings);
    if (is_bad) ++discarded_.visits;
    if (made.timings.empty()) visit.stay_s *= 2;
  }
}

MessageSender::Attempt MessageSender::attempt(const Visit& visit) {
  const long before = times_interrupted();
  const Order order{visit, false};
  link_->send_bytes(&order, sizeof(order));
  make_round_trips();
  std::vector<SentStamps> sent(static_cast<std::size_t>(visit.warm_ups + visit.repetitions));
  for (SentStamps& stamps : sent) stamps = send(visit);
  Attempt made{timings_of(visit, sent)};
  long receiver_interrupted = 0;
  link_->receive_bytes(&receiver_interrupted, sizeof(receiver_interrupted));
  made.is_disturbed = receiver_interrupted > 0 || times_interrupted() > before;
  return made;
}

std::vector<calibration::MessageTiming> MessageSender::timings_of(const Visit& visit,
                                                                  const std::vector<SentStamps>& sent) {
  std::vector<ReceivedStamps> received(sent.size());
  link_->receive_bytes(received.data(), received.size() * sizeof(ReceivedStamps));
  const Distance between = distance();
  std::vector<calibration::MessageTiming> timings;
  for (auto i = static_cast<std::size_t>(visit.warm_ups); i < sent.size(); ++i)
    if (is_as_asked(visit, sent[i], received[i], between))
      timings.push_back(timing_of(visit, sent[i], received[i], between));
    else
      ++discarded_.messages;
  return timings;
}

void MessageSender::end() {
  const Order order{{}, true};
  link_->send_bytes(&order, sizeof(order));
}

void MessageSender::make_round_trips() {
  for (int i = 0; i < round_trips_a_visit; ++i) {
    const double begun_s = monotonic_s();
    link_->send_empty();
    link_->receive_empty();
    const double trip_s = monotonic_s() - begun_s;
    if (i > 0) round_trips_s_.push_back(trip_s);  // before the first one both did something else
  }
}

Distance MessageSender::distance() const {
  const std::ptrdiff_t count = std::min(std::ssize(round_trips_s_), recent_round_trips);
  return {sweep::median(std::span(round_trips_s_).last(static_cast<std::size_t>(count))), own_clock_s_,
          receiver_clock_s_};
}

SentStamps MessageSender::send(const Visit& visit) {
  const SendCall& call = *std::ranges::find(send_calls, visit.mode, &SendCall::mode);
  const double announced_s = monotonic_s();
  if (visit.posted == ReceivePosted::before)
    link_->receive_empty();
  else
    link_->send_empty();
  const double begun_s = monotonic_s();
  const int code = call.send(link_->memory(), static_cast<int>(visit.bytes), MPI_BYTE, link_->partner(),
                             PairLink::message_tag, link_->comm());
  const double returned_s = monotonic_s();
  mpi::check(code, call.name);
  link_->receive_empty();
  return {begun_s - announced_s, returned_s - begun_s};
}

}  // namespace loadshare::tool
