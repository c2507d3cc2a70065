#include "models/waiting/receives.hpp"

namespace loadshare::waiting {
namespace {

using profile::CallKind;
using profile::Event;
using profile::Part;

class Collector {
 public:
  Collector(const profile::RankProfile& rank, const Requests& requests)
      : requests_(requests), receive_of_(rank.events.size(), EventId::none) {}

  void take(const Call& call) {
    switch (call.kind()) {
      case CallKind::receive:
      case CallKind::exchange:
        take_blocking(call, Receive::Takes::message);
        break;
      case CallKind::probe:
        take_blocking(call, Receive::Takes::nothing);
        break;
      case CallKind::receive_start:
        // Without a request: MPI_Recv_init itself, or from MPI_PROC_NULL.
        if (call.event.request != 0) add(call, call.event, Receive::Takes::message);
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
  Receive& add(const Call& call, const Event& envelope, Receive::Takes takes) {
    receive_of_[call.index] = static_cast<std::uint32_t>(receives_.size());
    return receives_.emplace_back(
        Receive{call.index, EventId::none, call.event.communicator, envelope.peer, envelope.tag, takes});
  }

  /// The part tells the true envelope; where a receive named it all, the call itself does.
  void take_blocking(const Call& call, Receive::Takes takes) {
    for (const Event& part : call.parts)
      if (part.part == Part::received) {
        if (part.peer >= 0) add(call, part, takes).completed = call.index;
        return;
      }
    const bool is_told = call.kind() != CallKind::exchange && call.event.peer >= 0 && call.event.tag >= 0;
    if (is_told) add(call, call.event, takes).completed = call.index;
  }

  void complete(const Call& call) {
    for (const Event& part : call.parts) {
      if (part.part != Part::received) continue;
      const auto posted = requests_.started_at(part.request);
      if (!posted || receive_of_[*posted] == EventId::none) continue;
      Receive& receive = receives_[receive_of_[*posted]];
      receive.completed = call.index;
      receive.source = part.peer;
      receive.tag = part.tag;
    }
  }

  const Requests& requests_;
  std::vector<Receive> receives_;
  std::vector<std::uint32_t> receive_of_;  ///< by event
};

}  // namespace

std::vector<Receive> receives_of(const profile::RankProfile& rank, const Requests& requests) {
  Collector collector(rank, requests);
  for_each_call(rank.events, [&](const Call& call) { collector.take(call); });
  return std::move(collector).result();
}

}  // namespace loadshare::waiting
