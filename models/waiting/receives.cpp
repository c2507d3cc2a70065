#include "models/waiting/receives.hpp"

#include <unordered_map>

#include "runtime/profile/calls.hpp"

namespace loadshare::waiting {
namespace {

using profile::CallKind;
using profile::Event;
using profile::Part;

bool takes_its_message(const Event& probe) {
  const auto call = static_cast<profile::CallId>(probe.call);
  return call == profile::CallId::Mprobe || call == profile::CallId::Improbe;
}

class Collector {
 public:
  Collector(const profile::RankProfile& rank, const Requests& requests)
      : requests_(requests),
        open_(rank.ends_in_call ? static_cast<std::uint32_t>(rank.events.size() - 1) : EventId::none),
        receive_of_(rank.events.size(), EventId::none) {}

  void take(const Call& call) {
    switch (call.kind()) {
      case CallKind::receive:
      case CallKind::exchange:
        if (call.index == open_)
          posted(call, asked_for(call));
        else if (const Event* envelope = envelope_of(call))
          posted(call, *envelope).completed = call.index;
        break;
      case CallKind::probe:
      case CallKind::probe_test:
        if (call.index == open_) break;  // it found none
        if (const Event* envelope = envelope_of(call)) take_probe(call, *envelope);
        break;
      case CallKind::receive_start:
        // Without a request: MPI_Recv_init itself, or from MPI_PROC_NULL.
        if (call.event.request != 0) posted(call, call.event);
        break;
      case CallKind::other:
        note_cancelled(call);
        break;
      case CallKind::wait:
      case CallKind::test:
        complete(call);
        break;
      default:
        break;
    }
  }

  std::vector<Receive> result() && { return std::move(receives_); }

 private:
  Receive& add(const Call& call, const Event& envelope) {
    receive_of_[call.index] = static_cast<std::uint32_t>(receives_.size());
    Receive& receive = receives_.emplace_back();
    receive.communicator = envelope.communicator;
    receive.source = envelope.peer;
    receive.tag = envelope.tag;
    return receive;
  }

  /// The part tells the true envelope; where a receive named it all, the call itself does. Null: no message.
  static const Event* envelope_of(const Call& call) {
    if (call.event.repeats > 0) return nullptr;
    for (const Event& part : call.parts)
      if (part.part == Part::received) return part.peer >= 0 ? &part : nullptr;
    const bool is_told = call.kind() != CallKind::exchange && call.event.peer >= 0 && call.event.tag >= 0;
    return is_told ? &call.event : nullptr;
  }

  /// By a call that the rank never came out of. Of an exchange it is not told.
  static Event asked_for(const Call& call) {
    Event envelope = call.event;
    if (call.kind() == CallKind::exchange) envelope.peer = envelope.tag = -1;
    return envelope;
  }

  /// The receive that this call posts: that of the message which a matched probe found, or one of its own.
  Receive& posted(const Call& call, const Event& envelope) {
    const auto found = found_.find(call.event.request);
    if (found != found_.end()) receive_of_[call.index] = found->second;
    Receive& receive = found != found_.end() ? receives_[found->second] : add(call, envelope);
    receive.posted = call.index;
    return receive;
  }

  void take_probe(const Call& call, const Event& envelope) {
    Receive& receive = add(call, envelope);
    receive.probed = call.index;
    if (takes_its_message(call.event) && call.event.request != 0)
      found_.emplace(call.event.request, receive_of_[call.index]);
    else
      receive.takes = Receive::Takes::nothing;
  }

  Receive* started(std::uint32_t request) {
    const auto posted = requests_.started_at(request);
    if (!posted || receive_of_[*posted] == EventId::none) return nullptr;
    return &receives_[receive_of_[*posted]];
  }

  void complete(const Call& call) {
    for (const Event& part : call.parts) {
      Receive* receive = part.part == Part::received ? started(part.request) : nullptr;
      if (receive == nullptr) continue;
      receive->completed = call.index;
      receive->source = part.peer;
      receive->tag = part.tag;
    }
  }

  void note_cancelled(const Call& call) {
    if (static_cast<profile::CallId>(call.event.call) != profile::CallId::Cancel) return;
    if (Receive* receive = started(call.event.request)) receive->was_cancelled = true;
  }

  const Requests& requests_;
  std::uint32_t open_;  ///< the call that the rank never came out of
  std::vector<Receive> receives_;
  std::vector<std::uint32_t> receive_of_;                   ///< by event
  std::unordered_map<std::uint32_t, std::uint32_t> found_;  ///< by matched probes: receive by number
};

}  // namespace

std::vector<Receive> receives_of(const profile::RankProfile& rank, const Requests& requests) {
  Collector collector(rank, requests);
  for_each_call(rank.events, [&](const Call& call) { collector.take(call); });
  return std::move(collector).result();
}

}  // namespace loadshare::waiting
