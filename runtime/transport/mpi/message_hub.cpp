#include "runtime/transport/mpi/message_hub.hpp"

#include <algorithm>

#include "runtime/host/clock.hpp"
#include "runtime/transport/mpi/check.hpp"
#include "runtime/transport/mpi/poll_nap.hpp"

namespace loadshare::mpi {

namespace {
// Most orders have gone as soon as they are sent; to see that is cheaper for several at once.
constexpr std::size_t most_unreaped = 16;
// Of more, each look at what has come would take too long.
constexpr std::size_t few_peers = 16;
}  // namespace

MessageHub::MessageHub(const Group& group, DataLayout& layout, SharedSender& sender,
                       const std::vector<WorkerId>& workers)
    : group_(group), layout_(layout), sender_(sender), peers_(workers.size()) {
  const std::size_t at_a_time = workers.size() <= few_peers ? Inbox<Report>::most : 1;
  peer_by_worker_.resize(group.worker_ranks().size());
  for (std::size_t i = 0; i < workers.size(); ++i) {
    peers_[i].worker = workers[i];
    peers_[i].rank = group.worker_ranks()[to_number(workers[i])];
    peer_by_worker_[to_number(workers[i])] = i;
    const std::size_t first_key = peers_.size() + i * Inbox<Report>::most;
    peers_[i].reports = std::make_unique<Inbox<Report>>(peers_[i].rank, Tag::report, group.all().get(),
                                                        receives_, first_key, at_a_time);
  }
}

MessageHub::Peer& MessageHub::peer_of(WorkerId worker) {
  return peers_[peer_by_worker_[to_number(worker)]];
}

void MessageHub::receive_payload(Peer& peer, std::span<std::byte> bytes, Tag tag) {
  const auto place = static_cast<std::size_t>(&peer - peers_.data());
  peer.parts_to_come = each_segment(bytes, [&](std::span<std::byte> part) {
    receive_part(part, peer.rank, tag, group_.all().get(), receives_.add(place));
  });
}

std::size_t MessageHub::poll(std::span<Event> events) {
  if (!take_arrivals() || sends_.pending() >= most_unreaped) reap_sends();
  std::size_t count = 0;
  for (std::size_t left = arrivals_.size(); left > 0 && count < events.size(); --left) {
    const std::size_t number = arrivals_.front();
    arrivals_.pop_front();
    Peer& peer = peers_[number];
    while (count < events.size() && advance(peer)) {
      Event& event = events[count++] = {peer.worker, peer.report};
      if (peer.report.kind == Report::Kind::failed)
        event.failure = std::make_shared<const Failure>(peer.failure);
      peer.awaits = Peer::Awaits::report;
      if (peer.has_payload()) break;
    }
    if (peer.is_ready()) arrivals_.push_back(number);
  }
  for (; count < events.size() && !progress_.empty(); progress_.pop_front())
    events[count++] = progress_.front();
  return count;
}

bool MessageHub::take_arrivals() {
  return receives_.take_completed([this](std::size_t key, int) { arrived(key); });
}

void MessageHub::arrived(std::size_t key) {
  const bool is_report = key >= peers_.size();
  const std::size_t number = is_report ? (key - peers_.size()) / Inbox<Report>::most : key;
  Peer& peer = peers_[number];
  const bool was_ready = peer.is_ready();
  if (is_report)
    peer.reports->arrived(key);
  else
    --peer.parts_to_come;
  if (!was_ready && peer.is_ready()) arrivals_.push_back(number);
}

// Returns whether a whole report, its payload included, is here.
bool MessageHub::advance(Peer& peer) {
  while (peer.awaits == Peer::Awaits::report && peer.is_ready()) take_report(peer);
  return peer.awaits == Peer::Awaits::payload && peer.is_ready();
}

void MessageHub::take_report(Peer& peer) {
  peer.report = peer.reports->front();
  if (peer.report.kind == Report::Kind::bye) {
    peer.awaits = Peer::Awaits::nothing;
    return;
  }
  peer.reports->pop();
  if (peer.report.kind == Report::Kind::progressed) return note_progress(peer);
  begin_payload(peer);
}

void MessageHub::note_progress(const Peer& peer) {
  const auto found = std::ranges::find(peer.given, peer.report.id,
                                       [](const Peer::Given& given) { return given.assignment.id; });
  if (found == peer.given.end()) return;
  const Chunk chunk = found->assignment.chunk;
  const double done = static_cast<double>(peer.report.share_done) * static_cast<double>(chunk.size);
  progress_.push_back({.worker = peer.worker,
                       .report = {.id = peer.report.id},
                       .kind = Event::Kind::progressed,
                       .done = static_cast<Index>(done)});
}

void MessageHub::begin_payload(Peer& peer) {
  peer.awaits = Peer::Awaits::payload;
  const Peer::Given given = peer.given.front();
  peer.given.pop_front();
  peer.parts_to_come = 0;
  if (peer.report.kind == Report::Kind::failed)
    receive_payload(peer, as_writable_payload(peer.failure), Tag::failure);
  else if (peer.report.kind == Report::Kind::done)
    receive_payload(peer, place_for_result(peer, given), Tag::result);
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
  if (id == every_chunk) return;  // ranks neither leave nor are set aside
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
  if (!sends_.is_empty() || !sender_.is_done() || !unheard().empty()) return false;
  receives_.cancel();  // for reports that nobody sends
  return true;
}

}  // namespace loadshare::mpi
