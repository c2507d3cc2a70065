#include "runtime/transport/mpi/shared_sender.hpp"

#include <algorithm>

#include "runtime/timing/clock.hpp"

namespace loadshare::mpi {

namespace {

/// Enough pieces to keep a fast network busy while MPI is polled, in bounded memory; both sides agree on it.
std::size_t window_of(SharedInput& shared, std::size_t pieces) {
  constexpr std::size_t bytes_under_way = std::size_t{8} << 20;
  constexpr std::size_t least = 4, most = 64;
  return pieces == 0 ? least : std::clamp(bytes_under_way / shared.bytes(0).size(), least, most);
}

}  // namespace

SharedSender::SharedSender(const Group& group, SharedInput& shared, std::size_t pieces)
    : group_(group), shared_(shared), pieces_(pieces), window_(window_of(shared, pieces)) {
  for (int leader : group.other_leaders()) {
    hosts_.emplace_back();
    hosts_.back().leader = leader;
  }
  is_done_ = hosts_.empty() || pieces == 0;
}

void SharedSender::progress() {
  if (is_done_) return;
  bool may_prepare = true;
  for (Host& host : hosts_) {
    while (!host.under_way.empty() && host.under_way.front().is_complete()) host.under_way.pop_front();
    if (!is_stopped_) feed(host, may_prepare);
  }
  is_done_ = std::ranges::all_of(hosts_, [this](const Host& host) {
    return host.under_way.empty() && (is_stopped_ || host.next == pieces_);
  });
  if (is_done_ && !is_stopped_) done_s_ = monotonic_s();
}

void SharedSender::feed(Host& host, bool& may_prepare) {
  while (host.under_way.size() < window_ && host.next < pieces_) {
    if (!shared_.is_ready(host.next)) {
      if (!may_prepare) return;
      may_prepare = false;
      if (!shared_.try_prepare(host.next)) return;
    }
    host.under_way.emplace_back().send(shared_.bytes(host.next), host.leader, Tag::piece, group_.all().get());
    ++host.next;
  }
}

std::size_t SharedSender::stop(int leader) {
  is_stopped_ = true;
  const auto host = std::ranges::find(hosts_, leader, &Host::leader);
  return host == hosts_.end() ? 0 : host->next;
}

SharedReceiver::SharedReceiver(const Group& group, SharedInput& shared, std::size_t pieces)
    : group_(group), shared_(shared), window_(window_of(shared, pieces)), expected_(pieces) {
  post();
}

void SharedReceiver::post() {
  for (; posted_.size() < window_ && next_posted_ < expected_; ++next_posted_)
    posted_.emplace_back().receive(shared_.bytes(next_posted_), group_.master_rank(), Tag::piece,
                                   group_.all().get());
}

bool SharedReceiver::progress() {
  const std::size_t before = next_done_;
  while (!posted_.empty() && posted_.front().is_complete()) {
    posted_.pop_front();
    shared_.mark_ready(next_done_++);
  }
  post();
  return next_done_ > before;
}

void SharedReceiver::stop(std::size_t count) {
  expected_ = count;
  while (next_posted_ > expected_) {
    posted_.back().cancel();
    posted_.pop_back();
    --next_posted_;
  }
}

}  // namespace loadshare::mpi
