#include "runtime/transport/mpi/shared_sender.hpp"

#include <algorithm>
#include <utility>

#include "runtime/timing/clock.hpp"

namespace loadshare::mpi {

SharedSender::SharedSender(const Group& group, SharedInput& shared)
    : group_(group), shared_(shared), units_(shared.units()) {
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

void SharedSender::send(std::size_t unit, Host& host) {
  const auto bytes = units_.bytes_of(unit, shared_.all_bytes());
  check(MPI_Isend(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, host.leader, unit_tag(unit),
                  group_.all().get(), sends_.add(unit)),
        "MPI_Isend");
  --host.credits;
  ++host.sent;
}

SharedEnd SharedSender::stop(int leader) {
  is_stopped_ = true;
  const auto host = std::ranges::find(hosts_, leader, &Host::leader);
  return host == hosts_.end() ? SharedEnd{} : SharedEnd{host->sent, done_s_.has_value()};
}

}  // namespace loadshare::mpi
