#include "runtime/transport/mpi/message_hub.hpp"

#include <algorithm>

#include "runtime/transport/mpi/quiet.hpp"

namespace loadshare::mpi {

MessageHub::MessageHub(const Group& group, Cargo& cargo, ControlBlock& control, SharedSender& sender,
                       const std::vector<WorkerId>& workers)
    : group_(group), cargo_(cargo), control_(control), sender_(sender), peers_(workers.size()) {
  peer_by_worker_.resize(group.worker_ranks().size());
  for (std::size_t i = 0; i < workers.size(); ++i) {
    peers_[i].worker = workers[i];
    peers_[i].rank = group.worker_ranks()[to_number(workers[i])];
    peer_by_worker_[to_number(workers[i])] = i;
    await_report(peers_[i]);
  }
}

MessageHub::Peer& MessageHub::peer_of(WorkerId worker) {
  return peers_[peer_by_worker_[to_number(worker)]];
}

std::string MessageHub::failure_text(WorkerId worker) const {
  // It came as a buffer of fixed size, zeros behind it.
  return peers_[peer_by_worker_[to_number(worker)]].failure_text.c_str();
}

void MessageHub::await_report(Peer& peer) {
  peer.awaits = Peer::Awaits::report;
  peer.incoming.receive(as_writable_payload(peer.report), peer.rank, Tag::report, group_.all().get());
}

std::size_t MessageHub::poll(std::span<Event> events) {
  reap_sends();
  std::size_t count = 0;
  for (Peer& peer : peers_) {
    if (count == events.size()) break;
    if (!advance(peer)) continue;
    events[count++] = {peer.worker, peer.report};
    await_report(peer);
  }
  return count;
}

// Returns whether a whole report, its payload included, is here.
bool MessageHub::advance(Peer& peer) {
  if (peer.awaits == Peer::Awaits::nothing || !peer.incoming.is_complete()) return false;
  if (peer.awaits == Peer::Awaits::payload) return true;
  if (peer.report.kind == Report::Kind::bye) {
    peer.awaits = Peer::Awaits::nothing;
    return false;
  }
  begin_payload(peer);
  return peer.incoming.is_complete();
}

void MessageHub::begin_payload(Peer& peer) {
  peer.awaits = Peer::Awaits::payload;
  const Chunk chunk = peer.given.front();
  peer.given.pop_front();
  if (peer.report.kind == Report::Kind::failed) {
    peer.failure_text.resize(failure_text_bytes);
    peer.incoming.receive(std::as_writable_bytes(std::span(peer.failure_text)), peer.rank, Tag::failure,
                          group_.all().get());
    return;
  }
  peer.incoming.receive(place_for_result(peer, chunk), peer.rank, Tag::result, group_.all().get());
}

std::span<std::byte> MessageHub::place_for_result(Peer& peer, Chunk chunk) {
  if (control_.claim(chunk)) return cargo_.output(chunk);
  peer.report.kind = Report::Kind::dropped;
  peer.dropped.resize(cargo_.output_bytes(chunk));
  return peer.dropped;
}

void MessageHub::give(WorkerId worker, const Assignment& assignment) {
  Peer& peer = peer_of(worker);
  peer.given.push_back(assignment.chunk);
  Order order;
  order.id = assignment.id;
  order.chunk = assignment.chunk;
  const bool has_input = cargo_.input_bytes(assignment.chunk) > 0;
  send(peer, order, has_input ? cargo_.input(assignment.chunk) : std::span<const std::byte>{});
}

void MessageHub::send(const Peer& peer, const Order& order, std::span<const std::byte> input) {
  Outgoing& message = outgoing_.emplace_back();
  message.order = order;
  message.header.send(as_payload(message.order), peer.rank, Tag::order, group_.all().get());
  message.input.send(input, peer.rank, Tag::input, group_.all().get());
}

void MessageHub::reap_sends() {
  std::erase_if(outgoing_, [](Outgoing& message) { return message.is_complete(); });
}

void MessageHub::stop() {
  for (const Peer& peer : peers_) send(peer, sender_.stop(peer.rank).order(), {});
  // Workers may have sent results before they heard; a send must be received, wanted or not.
  std::array<Event, 16> unwanted;
  const auto is_quiet = [this] {
    return outgoing_.empty() && sender_.is_done() &&
           std::ranges::all_of(peers_, [](const Peer& peer) { return peer.awaits == Peer::Awaits::nothing; });
  };
  for (GrowingNap nap; !is_quiet(); nap.rest()) {
    poll(unwanted);
    sender_.progress();
  }
}

}  // namespace loadshare::mpi
