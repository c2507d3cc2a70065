#include "runtime/transport/mpi/shared_relay.hpp"

#include <utility>

namespace loadshare::mpi {

SharedRelay::SharedRelay(const Group& group, SharedInput& shared)
    : group_(group), shared_(shared), units_(shared.units()), forwards_to_come_(units_.count()) {
  for (const int leader : group.other_leaders())
    if (leader != group.rank()) peers_.emplace_back().leader = leader;
  for (std::size_t piece = 0; piece < units_.pieces(); ++piece)
    units_missing_.push_back(static_cast<std::uint32_t>(units_.units_of(piece)));
  // Whoever sends a unit, it finds a receive: nothing is ever kept elsewhere.
  for (std::size_t unit = 0; unit < units_.count(); ++unit) {
    const auto bytes = units_.bytes_of(unit, shared.all_bytes());
    check(MPI_Irecv(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, MPI_ANY_SOURCE, unit_tag(unit),
                    group.all().get(), receives_.add(unit)),
          "MPI_Irecv");
  }
}

bool SharedRelay::progress() {
  if (is_done()) return false;
  bool has_moved = receives_.take_completed([this](std::size_t unit, int source) { take(unit, source); });
  has_moved |= forwards_.take_completed([this](std::size_t unit, int) { passed_on_to_one(unit); });
  if (end_ && !is_sorted_out_) sort_out();
  tell_master();
  outgoing_.remove_if([](Outgoing& message) { return message.payload.is_complete(); });
  return has_moved;
}

void SharedRelay::take(std::size_t unit, int source) {
  ++received_;
  const SharedUnits::Pieces pieces = units_.pieces_of(unit);
  for (std::size_t piece = pieces.first; piece < pieces.end; ++piece)
    if (--units_missing_[piece] == 0) shared_.mark_ready(piece);
  if (source == group_.master_rank() && !end_) pass_on(unit);
}

// Synchronous, so that a send counts as passed on when the peer has it, not when some buffer has.
void SharedRelay::pass_on(std::size_t unit) {
  ++passed_on_;
  if (peers_.empty()) ++unsaid_;
  // A slow peer shall not hold back what the others could already be given.
  forwards_to_come_[unit] = static_cast<std::uint32_t>((peers_.size() + 1) / 2);
  const auto bytes = units_.bytes_of(unit, shared_.all_bytes());
  for (std::size_t i = 0; i < peers_.size(); ++i) {
    const Peer& peer = peers_[(unit + i) % peers_.size()];  // not all leaders to the same one first
    check(MPI_Issend(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, peer.leader, unit_tag(unit),
                     group_.all().get(), forwards_.add(unit)),
          "MPI_Issend");
  }
}

void SharedRelay::passed_on_to_one(std::size_t unit) {
  if (forwards_to_come_[unit] > 0 && --forwards_to_come_[unit] == 0) ++unsaid_;
}

void SharedRelay::tell_master() {
  const bool is_finished = forwards_.is_empty() && (end_ ? is_sorted_out_ : has_all());
  const bool is_news = unsaid_ > 0 || (has_all() && !has_said_all_) || is_finished;
  if (has_said_last_ || !is_news) return;
  Outgoing& message = outgoing_.emplace_back();
  message.note = {std::exchange(unsaid_, 0), has_all(), is_finished};
  message.payload.send(as_payload(message.note), group_.master_rank(), Tag::relay_note, group_.all().get());
  has_said_all_ = has_all();
  has_said_last_ = is_finished;
}

void SharedRelay::stop(const SharedEnd& end) {
  end_ = end;
  if (end.is_everywhere)
    is_sorted_out_ = true;
  else
    exchange_counts();
}

void SharedRelay::exchange_counts() {
  for (Peer& peer : peers_) {
    peer.incoming.receive(as_writable_payload(peer.count), peer.leader, Tag::unit_count, group_.all().get());
    Outgoing& message = outgoing_.emplace_back();
    message.count = passed_on_;
    message.payload.send(as_payload(message.count), peer.leader, Tag::unit_count, group_.all().get());
  }
}

// Every unit that was sent must be received, and no receive may stay for one that never will be.
void SharedRelay::sort_out() {
  std::uint32_t expected = end_->units_sent;
  for (Peer& peer : peers_) {
    if (!peer.incoming.is_complete()) return;
    expected += peer.count;
  }
  if (received_ < expected) return;
  receives_.cancel();
  is_sorted_out_ = true;
}

}  // namespace loadshare::mpi
