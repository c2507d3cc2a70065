#include "models/efficiency/waiting/matching.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace loadshare::waiting {
namespace {

using profile::CallKind;

bool may_be_in_vain(CallKind kind) {
  return kind == CallKind::test || kind == CallKind::probe_test || kind == CallKind::window_wait;
}

bool finds_something(const Call& call) {
  return call.kind() == CallKind::window_wait || call.event.peer >= 0 || !call.parts.empty();
}

/// Links the tests in vain of one rank as their successes come.
class Linker {
 public:
  explicit Linker(std::vector<std::uint32_t>& success_of) : success_of_(success_of) {}

  void take(const Call& call) {
    if (!may_be_in_vain(call.kind()) || call.event.place == 0) return;
    std::vector<std::uint32_t>& open = open_[std::uint64_t{call.event.place} << 16 | call.event.call];
    if (call.event.repeats > 0) return open.push_back(call.index);
    if (finds_something(call))
      for (const std::uint32_t in_vain : open) success_of_[in_vain] = call.index;
    open.clear();
  }

 private:
  std::vector<std::uint32_t>& success_of_;
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> open_;  ///< by place and call
};

}  // namespace

/// Goes through the calls and keeps who opened what towards whom.
class Epochs::Collector {
 public:
  explicit Collector(Epochs& result) : result_(result) {}

  void take(std::uint32_t at, std::int32_t rank, const Call& call) {
    if (call.event.repeats > 0) return;  // MPI_Win_test in vain closes nothing
    switch (call.kind()) {
      case CallKind::window_start:
        open(at, call, [&](std::int32_t target) { return &access_[pair(call, rank, target)]; });
        break;
      case CallKind::window_post:
        open(at, call, [&](std::int32_t origin) { return &exposure_[pair(call, origin, rank)]; });
        break;
      case CallKind::window_complete:
        close(at, call, CallKind::window_start);
        break;
      case CallKind::window_wait:
        close(at, call, CallKind::window_post);
        break;
      default:
        break;
    }
  }

  void match() {
    for (const auto& [key, starts] : access_) {
      const auto posts = exposure_.find(key);
      if (posts == exposure_.end()) continue;
      const std::size_t count = std::min(starts.size(), posts->second.size());
      for (std::size_t n = 0; n < count; ++n) meet(starts[n], posts->second[n]);
    }
  }

 private:
  using Pair = std::tuple<std::uint32_t, std::int32_t, std::int32_t>;  ///< communicator, origin, target
  using Sequence = std::vector<std::uint32_t>;

  static Pair pair(const Call& call, std::int32_t origin, std::int32_t target) {
    return {call.event.communicator, origin, target};
  }

  template <typename SequenceOf>
  void open(std::uint32_t at, const Call& call, SequenceOf sequence_of) {
    const auto epoch = static_cast<std::uint32_t>(result_.epochs_.size());
    result_.epochs_.push_back({{at, call.index}, {}, {}});
    result_.epoch_of_[at][call.index] = epoch;
    open_[{at, call.event.communicator, call.kind()}] = epoch;
    for (const profile::Event& part : call.parts)
      if (part.part == profile::Part::member) sequence_of(part.peer)->push_back(epoch);
  }

  void close(std::uint32_t at, const Call& call, CallKind opening) {
    const auto found = open_.find({at, call.event.communicator, opening});
    if (found == open_.end()) return;
    result_.epochs_[found->second].closed = {at, call.index};
    result_.epoch_of_[at][call.index] = found->second;
    open_.erase(found);
  }

  void meet(std::uint32_t access, std::uint32_t exposure) {
    Epoch& start = result_.epochs_[access];
    Epoch& post = result_.epochs_[exposure];
    start.latest_partner = later(start.latest_partner, post.opened);
    if (start.closed) post.latest_partner = later(post.latest_partner, start.closed);
  }

  EventId later(EventId one, EventId other) const {
    if (!one) return other;
    return at(result_.profile_, one).begin_ns >= at(result_.profile_, other).begin_ns ? one : other;
  }

  Epochs& result_;
  std::map<Pair, Sequence> access_;
  std::map<Pair, Sequence> exposure_;
  std::map<std::tuple<std::uint32_t, std::uint32_t, CallKind>, std::uint32_t> open_;
};

Epochs::Epochs(const profile::Profile& profile) : profile_(profile) {
  Collector collector(*this);
  for (std::uint32_t rank = 0; rank < profile.ranks.size(); ++rank) {
    epoch_of_.emplace_back(profile.ranks[rank].events.size(), EventId::none);
    for_each_call(profile.ranks[rank].events,
                  [&](const Call& call) { collector.take(rank, profile.ranks[rank].rank, call); });
  }
  collector.match();
}

EventId Epochs::latest_partner(EventId call) const {
  const std::uint32_t epoch = epoch_of_[call.rank][call.event];
  return epoch == EventId::none ? EventId() : epochs_[epoch].latest_partner;
}

std::optional<std::int64_t> Epochs::latest_partner_ns(EventId call) const {
  const EventId partner = latest_partner(call);
  return partner ? std::optional(at(profile_, partner).begin_ns) : std::nullopt;
}

const SendLimits& Matching::limits_between(std::uint32_t sender, std::int32_t receiver) const {
  const std::uint32_t other = ranks.position(receiver);
  const bool is_one_host = other != EventId::none && profile.ranks[other].host == profile.ranks[sender].host;
  return is_one_host ? eager.one_host : eager.two_hosts;
}

Polling::Polling(const profile::Profile& profile) {
  for (const profile::RankProfile& rank : profile.ranks) {
    Linker linker(success_of_.emplace_back(rank.events.size(), EventId::none));
    for_each_call(rank.events, [&](const Call& call) { linker.take(call); });
  }
}

}  // namespace loadshare::waiting
