#include "models/waiting/receives.hpp"

#include <deque>
#include <map>
#include <tuple>

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

bool is_of_a_probe(const Event& receive) {
  const auto call = static_cast<profile::CallId>(receive.call);
  return call == profile::CallId::Mrecv || call == profile::CallId::Imrecv;
}

class Collector {
 public:
  Collector(const profile::RankProfile& rank, const Requests& requests)
      : events_(rank.events), requests_(requests), receive_of_(rank.events.size(), EventId::none) {}

  void take(const Call& call) {
    switch (call.kind()) {
      case CallKind::receive:
      case CallKind::exchange:
        if (const Event* envelope = envelope_of(call)) take_blocking(call, *envelope);
        break;
      case CallKind::probe:
      case CallKind::probe_test:
        if (const Event* envelope = envelope_of(call)) take_probe(call, *envelope);
        break;
      case CallKind::receive_start:
        // Without a request: MPI_Recv_init itself, or from MPI_PROC_NULL. MPI_Imrecv tells when it is over.
        if (call.event.request != 0 && !is_of_a_probe(call.event)) add(call.index, call.event);
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
  using Envelope = std::tuple<std::uint32_t, std::int32_t, std::int32_t>;  ///< communicator, source, tag

  static Envelope key(const Event& envelope) { return {envelope.communicator, envelope.peer, envelope.tag}; }

  Receive& add(std::uint32_t posted, const Event& envelope) {
    receive_of_[posted] = static_cast<std::uint32_t>(receives_.size());
    Receive& receive = receives_.emplace_back();
    receive.posted = posted;
    receive.communicator = static_cast<std::int32_t>(envelope.communicator);
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

  void take_blocking(const Call& call, const Event& envelope) {
    Receive* probed = is_of_a_probe(call.event) ? oldest_probed(envelope) : nullptr;
    Receive& receive = probed != nullptr ? *probed : add(call.index, envelope);
    receive.posted = receive.completed = call.index;
  }

  void take_probe(const Call& call, const Event& envelope) {
    const bool takes = takes_its_message(call.event);
    if (takes) found_[key(envelope)].push_back(receives_.size());
    Receive& receive = add(call.index, envelope);
    receive.probed = call.index;
    receive.posted = EventId::none;
    receive.takes = takes ? Receive::Takes::message : Receive::Takes::nothing;
  }

  /// What a matched probe found and nobody has received yet; null where the profile lacks the probe.
  Receive* oldest_probed(const Event& envelope) {
    const auto found = found_.find(key(envelope));
    if (found == found_.end() || found->second.empty()) return nullptr;
    Receive* receive = &receives_[found->second.front()];
    found->second.pop_front();
    return receive;
  }

  Receive* started(std::uint32_t posted, const Event& part) {
    if (receive_of_[posted] != EventId::none) return &receives_[receive_of_[posted]];
    if (!is_of_a_probe(events_[posted])) return nullptr;
    Receive* probed = oldest_probed(part);
    return probed != nullptr ? probed : &add(posted, part);
  }

  void complete(const Call& call) {
    for (const Event& part : call.parts) {
      if (part.part != Part::received) continue;
      const auto posted = requests_.started_at(part.request);
      if (!posted) continue;
      Receive* receive = started(*posted, part);
      if (receive == nullptr) continue;
      receive->posted = *posted;
      receive->completed = call.index;
      receive->source = part.peer;
      receive->tag = part.tag;
    }
  }

  const std::vector<Event>& events_;
  const Requests& requests_;
  std::vector<Receive> receives_;
  std::vector<std::uint32_t> receive_of_;              ///< by event
  std::map<Envelope, std::deque<std::size_t>> found_;  ///< by matched probes, and not received yet
};

}  // namespace

std::vector<Receive> receives_of(const profile::RankProfile& rank, const Requests& requests) {
  Collector collector(rank, requests);
  for_each_call(rank.events, [&](const Call& call) { collector.take(call); });
  return std::move(collector).result();
}

}  // namespace loadshare::waiting
