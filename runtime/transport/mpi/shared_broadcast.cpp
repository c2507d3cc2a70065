#include "runtime/transport/mpi/shared_broadcast.hpp"

#include <algorithm>
#include <utility>

#include "runtime/host/clock.hpp"

namespace loadshare::mpi {
namespace {

/// A unit that the master sends again has a tag of its own, so that the first one is not taken for it.
int again_tag(const SharedUnits& units, std::size_t unit) {
  return unit_tag(units.count() + unit);
}

}  // namespace

SharedSender::SharedSender(const Group& group, SharedInput& shared)
    : group_(group), shared_(shared), units_(shared.units()), sent_to_(units_.count()) {
  const std::vector<int> leaders = units_.count() > 0 ? group.other_leaders() : std::vector<int>{};
  hosts_.resize(leaders.size());
  for (std::size_t i = 0; i < leaders.size(); ++i) {
    hosts_[i].leader = leaders[i];
    hosts_[i].credits = units_.first_credits(leaders.size());
    await_note(hosts_[i]);
  }
  is_done_ = hosts_.empty();
}

void SharedSender::await_note(Host& host) {
  receive_part(as_writable_payload(host.note), host.leader, Tag::relay_note, group_.all().get(),
               notes_.add(static_cast<std::size_t>(&host - hosts_.data())));
}

bool SharedSender::progress() {
  if (is_done_) return false;
  const std::size_t before = next_;
  bool has_moved = notes_.take_completed([this](std::size_t host, int) { take_note(hosts_[host]); });
  if (!done_s_ && std::ranges::all_of(hosts_, &Host::has_all)) done_s_ = monotonic_s();
  has_moved |= sends_.take_completed([](std::size_t, int) {});
  if (!is_stopped_) feed();
  is_done_ = sends_.is_empty() && std::ranges::all_of(hosts_, &Host::is_finished);
  return has_moved || next_ > before;
}

void SharedSender::take_note(Host& host) {
  host.credits += host.note.passed_on;
  host.has_all |= host.note.has_all != 0;
  host.is_finished = host.note.is_last != 0;
  if (host.note.wants != RelayNote::nothing) send_again(static_cast<std::size_t>(host.note.wants), host);
  if (!host.is_finished) await_note(host);
}

void SharedSender::feed() {
  for (bool may_prepare = true; next_ < units_.count(); ++next_) {
    const auto host = std::ranges::max_element(hosts_, {}, &Host::credits);
    if (host->credits == 0 || !make_ready(next_, may_prepare)) return;
    send(next_, *host);
  }
}

bool SharedSender::make_ready(std::size_t unit, bool& may_prepare) {
  const SharedUnits::Pieces pieces = units_.pieces_of(unit);
  for (std::size_t piece = pieces.first; piece < pieces.end; ++piece) {
    if (shared_.is_ready(piece)) continue;
    if (!std::exchange(may_prepare, false) || !shared_.try_prepare(piece)) return false;
  }
  return true;
}

void SharedSender::start_send(std::size_t unit, int leader, int tag) {
  const auto bytes = units_.bytes_of(unit, shared_.all_bytes());
  check(MPI_Isend(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, leader, tag, group_.all().get(),
                  sends_.add(unit)),
        "MPI_Isend");
}

void SharedSender::send(std::size_t unit, Host& host) {
  start_send(unit, host.leader, unit_tag(unit));
  sent_to_[unit] = host.leader;
  --host.credits;
  ++host.sent;
}

// Not what is on its way to this very host: that will come. A host that asks for what was never sent could
// pass nothing on to one that is stopped, and so was given nothing more.
void SharedSender::send_again(std::size_t unit, Host& host) {
  if (unit >= next_ && host.credits == 0) host.credits = units_.first_credits(hosts_.size());
  if (is_stopped_ || unit >= next_ || sent_to_[unit] == host.leader) return;
  if (host.sent_again.insert(unit).second) start_send(unit, host.leader, again_tag(units_, unit));
}

SharedEnd SharedSender::stop(int leader) {
  is_stopped_ = true;
  const auto host = std::ranges::find(hosts_, leader, &Host::leader);
  if (host == hosts_.end()) return {};
  const bool is_everywhere = done_s_.has_value() && std::ranges::all_of(hosts_, [](const Host& one) {
                               return one.sent_again.empty();
                             });
  return {host->sent, is_everywhere, static_cast<std::uint32_t>(host->sent_again.size())};
}

SharedRelay::SharedRelay(const Group& group, SharedInput& shared)
    : group_(group),
      shared_(shared),
      units_(shared.units()),
      is_here_(units_.count()),
      begun_s_(monotonic_s()),
      asks_at_s_(begun_s_ + longest_silence_s),
      forwards_to_come_(units_.count()) {
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
  has_moved |= again_.take_completed([this](std::size_t unit, int) { take_again(unit); });
  has_moved |= forwards_.take_completed([this](std::size_t unit, int) { passed_on_to_one(unit); });
  if (end_ && !is_sorted_out_) sort_out();
  if (!end_ && !has_all() && monotonic_s() >= asks_at_s_) ask_for_missing();
  tell_master();
  outgoing_.remove_if([](Outgoing& message) { return message.payload.is_complete(); });
  return has_moved;
}

void SharedRelay::take(std::size_t unit, int source) {
  ++received_;
  if (!is_here_[unit]) arrived(unit);
  if (source == group_.master_rank() && !end_) pass_on(unit);
}

void SharedRelay::arrived(std::size_t unit) {
  is_here_[unit] = true;
  ++here_;
  const SharedUnits::Pieces pieces = units_.pieces_of(unit);
  for (std::size_t piece = pieces.first; piece < pieces.end; ++piece)
    if (--units_missing_[piece] == 0) shared_.mark_ready(piece);
  const double now_s = monotonic_s();
  const double usual_s = (now_s - begun_s_) / static_cast<double>(here_);
  asks_at_s_ = now_s + std::clamp(many_times * usual_s, least_silence_s, longest_silence_s);
}

// What is long overdue, beside how the others came, was to be passed on by a host that is stopped: the
// master has it, too. It does not answer for what it has sent to nobody yet, so this asks again.
void SharedRelay::ask_for_missing() {
  constexpr int most = 16;
  asks_at_s_ = monotonic_s() + longest_silence_s;
  int asked = 0;
  for (std::size_t unit = 0; unit < units_.count() && asked < most; ++unit)
    if (!is_here_[unit]) ask_for(unit), ++asked;
}

void SharedRelay::ask_for(std::size_t unit) {
  if (const auto [scratch, is_new] = scratch_.try_emplace(unit); is_new) {
    std::vector<std::byte>& bytes = scratch->second;
    bytes.resize(units_.bytes_of(unit, shared_.all_bytes()).size());
    check(MPI_Irecv(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, group_.master_rank(),
                    again_tag(units_, unit), group_.all().get(), again_.add(unit)),
          "MPI_Irecv");
  }
  Outgoing& message = outgoing_.emplace_back();
  message.note.wants = static_cast<std::int32_t>(unit);
  message.payload.send(as_payload(message.note), group_.master_rank(), Tag::relay_note, group_.all().get());
}

// The receive for the first one stays, for MPI may have it half done: when its host wakes, it writes what is
// there already, byte for byte.
void SharedRelay::take_again(std::size_t unit) {
  ++came_again_;
  if (is_here_[unit]) return;
  std::ranges::copy(scratch_.at(unit), units_.bytes_of(unit, shared_.all_bytes()).begin());
  arrived(unit);
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
  if (!end.is_everywhere) return exchange_counts();
  again_.cancel();
  is_sorted_out_ = true;
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
  if (received_ < expected || came_again_ < end_->sent_again) return;
  receives_.cancel();
  again_.cancel();
  is_sorted_out_ = true;
}

}  // namespace loadshare::mpi
