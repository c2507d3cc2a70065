#include "runtime/transport/mpi/message_hub.hpp"

#include <algorithm>

#include "runtime/host/clock.hpp"
#include "runtime/transport/mpi/check.hpp"
#include "runtime/transport/mpi/poll_nap.hpp"

namespace loadshare::mpi {

namespace {
// Most orders have gone as soon as they are sent; to see that is cheaper for several at once.
constexpr std::size_t most_unreaped = 16;
}  // namespace

MessageHub::MessageHub(const Group& group, DataLayout& layout, SharedSender& sender,
                       const std::vector<WorkerId>& workers)
    : group_(group), layout_(layout), sender_(sender), peers_(workers.size()) {
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

void MessageHub::await_report(Peer& peer) {
  peer.awaits = Peer::Awaits::report;
  receive(peer, as_writable_payload(peer.report), Tag::report);
}

void MessageHub::receive(Peer& peer, std::span<std::byte> bytes, Tag tag) {
  const auto place = static_cast<std::size_t>(&peer - peers_.data());
  peer.parts_to_come = each_segment(bytes, [&](std::span<std::byte> part) {
    receive_part(part, peer.rank, tag, group_.all().get(), receives_.add(place));
  });
}

std::size_t MessageHub::poll(std::span<Event> events) {
  if (!take_arrivals() || sends_.pending() >= most_unreaped) reap_sends();
  std::size_t count = 0;
  for (; count < events.size() && !arrivals_.empty(); arrivals_.pop_front()) {
    Peer& peer = peers_[arrivals_.front()];
    if (!advance(peer)) continue;
    events[count++] = {peer.worker, peer.report};
    await_report(peer);
  }
  return count;
}

bool MessageHub::take_arrivals() {
  return receives_.take_completed([this](std::size_t peer, int) {
    if (--peers_[peer].parts_to_come == 0) arrivals_.push_back(peer);
  });
}

// Returns whether a whole report, its payload included, is here.
bool MessageHub::advance(Peer& peer) {
  if (peer.awaits == Peer::Awaits::payload) return true;
  if (peer.report.kind == Report::Kind::bye) {
    peer.awaits = Peer::Awaits::nothing;
    return false;
  }
  if (peer.report.kind == Report::Kind::progressed) {
    note_progress(peer);
    await_report(peer);
    return false;
  }
  begin_payload(peer);
  return peer.parts_to_come == 0;
}

void MessageHub::note_progress(Peer& peer) {
  const auto found = std::ranges::find(peer.given, peer.report.id,
                                       [](const Peer::Given& given) { return given.assignment.id; });
  if (found == peer.given.end()) return;
  const Chunk chunk = found->assignment.chunk;
  const double done = static_cast<double>(peer.report.share_done) * static_cast<double>(chunk.size);
  peer.progress = ChunkProgress{peer.report.id, static_cast<Index>(done)};
}

void MessageHub::begin_payload(Peer& peer) {
  peer.awaits = Peer::Awaits::payload;
  const Peer::Given given = peer.given.front();
  peer.given.pop_front();
  peer.parts_to_come = 0;
  if (peer.report.kind == Report::Kind::failed)
    receive(peer, as_writable_payload(peer.failure), Tag::failure);
  else if (peer.report.kind == Report::Kind::done)
    receive(peer, place_for_result(peer, given), Tag::result);
}

std::span<std::byte> MessageHub::place_for_result(Peer& peer, const Peer::Given& given) {
  peer.returned = given;
  const bool is_in_place = given.assignment.landing == Landing::in_place && !is_stopped_;
  return is_in_place ? layout_.output(given.assignment.chunk) : peer.aside.fit(given.result_bytes);
}

// The next result is not received before this one's report was handled.
void MessageHub::publish(WorkerId worker, Chunk part) {
  Peer& peer = peer_of(worker);
  bring_to_place(layout_, peer.returned.assignment.chunk, part, peer.aside.fit(peer.returned.result_bytes));
}

void MessageHub::recall(WorkerId worker, ChunkId id, Recall recall) {
  const auto kind = recall == Recall::unwanted ? Order::Kind::cancel : Order::Kind::recall;
  send(peer_of(worker), {.kind = kind, .id = id}, {});
}

void MessageHub::give(WorkerId worker, const Assignment& assignment) {
  Peer& peer = peer_of(worker);
  peer.given.push_back({assignment, layout_.output_bytes(assignment.chunk)});
  Order order;
  order.id = assignment.id;
  order.chunk = assignment.chunk;
  const bool has_input = layout_.input_bytes(assignment.chunk) > 0;
  send(peer, order, has_input ? layout_.input(assignment.chunk) : std::span<const std::byte>{});
}

void MessageHub::send(const Peer& peer, const Order& order, std::span<const std::byte> input) {
  const std::size_t place = room_to_send();
  Outgoing& message = outgoing_[place];
  message.order = order;
  message.parts_to_go =
      send(peer, as_payload(message.order), Tag::order, place) + send(peer, input, Tag::input, place);
}

std::size_t MessageHub::room_to_send() {
  if (spare_.empty()) return outgoing_.emplace_back(), outgoing_.size() - 1;
  const std::size_t place = spare_.back();
  spare_.pop_back();
  return place;
}

std::size_t MessageHub::send(const Peer& peer, std::span<const std::byte> bytes, Tag tag, std::size_t place) {
  return each_segment(bytes, [&](std::span<const std::byte> part) {
    send_part(part, peer.rank, tag, group_.all().get(), sends_.add(place));
  });
}

void MessageHub::reap_sends() {
  sends_.take_completed([this](std::size_t place, int) {
    if (--outgoing_[place].parts_to_go == 0) spare_.push_back(place);
  });
}

void MessageHub::stop(double patience_s) {
  is_stopped_ = true;
  for (const Peer& peer : peers_) send(peer, sender_.stop(peer.rank).order(), {});
  const double end_s = monotonic_s() + patience_s;
  for (PollNap nap; !finish() && monotonic_s() < end_s;) nap.rest();
}

std::vector<int> MessageHub::unheard() const {
  std::vector<int> ranks;
  for (const Peer& peer : peers_)
    if (peer.awaits != Peer::Awaits::nothing) ranks.push_back(peer.rank);
  return ranks;
}

// Workers may have sent results before they heard; a send must be received, wanted or not.
bool MessageHub::finish() {
  std::array<Event, 16> unwanted;
  poll(unwanted);
  sender_.progress();
  return sends_.is_empty() && sender_.is_done() &&
         std::ranges::all_of(peers_, [](const Peer& peer) { return peer.awaits == Peer::Awaits::nothing; });
}

}  // namespace loadshare::mpi
