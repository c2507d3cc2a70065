#include "models/efficiency/waiting/passive_targets.hpp"

#include <algorithm>
#include <iterator>

#include "profiler/calls.hpp"

namespace loadshare::waiting {
namespace {

using profile::CallId;
using profile::CallKind;
using profile::Event;

CallId id_of(const Call& call) {
  return static_cast<CallId>(call.event.call);
}

bool is_lock(CallId call) {
  return call == CallId::Win_lock || call == CallId::Win_lock_all;
}

bool is_unlock(CallId call) {
  return call == CallId::Win_unlock || call == CallId::Win_unlock_all;
}

bool accumulates(CallId call) {
  switch (call) {
    case CallId::Accumulate:
    case CallId::Get_accumulate:
    case CallId::Fetch_and_op:
    case CallId::Compare_and_swap:
    case CallId::Raccumulate:
    case CallId::Rget_accumulate:
      return true;
    default:
      return false;
  }
}

bool completes_at_target(CallId call) {
  return is_unlock(call) || call == CallId::Win_flush || call == CallId::Win_flush_all;
}

}  // namespace

/// Goes through one rank's calls.
class PassiveTargets::Collector {
 public:
  Collector(std::uint32_t rank, std::map<Target, std::vector<Hold>>& holds, std::vector<Use>& uses)
      : rank_(rank), holds_(holds), uses_(uses) {}

  void take(const Call& call) {
    if (call.kind() == CallKind::window_lock) return take_synchronisation(call);
    if (call.kind() != CallKind::window_transfer) return;
    const auto lock = open_.find({call.event.communicator, call.event.peer});
    const auto of_all = open_.find({call.event.communicator, everybody});
    if (lock == open_.end() && of_all == open_.end()) return;  // by fences, or posted for
    Use& use = add(call, lock != open_.end() ? lock : of_all);
    use.targets = {call.event.peer};
    use.accumulates = accumulates(id_of(call));
    bool& pending = pending_[use.window][call.event.peer];
    pending = pending || use.accumulates;
  }

 private:
  using Open = std::map<Target, bool>;  ///< whether the lock is exclusive

  void take_synchronisation(const Call& call) {
    const Target target{call.event.communicator, call.event.peer};
    if (is_lock(id_of(call))) open_[target] = call.event.tag == profile::exclusive_lock;
    auto lock = open_.find(target);
    if (lock == open_.end()) lock = open_.find({target.first, everybody});
    if (lock == open_.end()) return;
    Use& use = add(call, lock);
    use.is_lock = is_lock(id_of(call));
    if (use.is_lock && call.event.peer != everybody) use.targets = {call.event.peer};
    if (!use.is_lock) take_pending(call.event.peer, use);
    use.completes = completes_at_target(id_of(call));
    if (use.completes) done(use);
    if (is_unlock(id_of(call))) close(call, lock);
  }

  Use& add(const Call& call, Open::iterator lock) {
    Use& use = uses_.emplace_back();
    use.call = {rank_, call.index};
    use.window = call.event.communicator;
    use.is_exclusive = lock->second;
    use.locked = lock->first.second;
    return use;
  }

  /// What completes transfers needs their targets.
  void take_pending(std::int32_t named, Use& use) {
    for (const auto& [target, accumulating] : pending_[use.window]) {
      if (named != everybody && named != target) continue;
      use.targets.push_back(target);
      use.accumulates = use.accumulates || accumulating;
    }
  }

  void done(const Use& use) {
    for (const std::int32_t target : use.targets) pending_[use.window].erase(target);
  }

  void close(const Call& call, Open::iterator lock) {
    holds_[lock->first].push_back({rank_, lock->second, call.event.begin_ns, call.event.end_ns});
    open_.erase(lock);
  }

  std::uint32_t rank_;
  std::map<Target, std::vector<Hold>>& holds_;
  std::vector<Use>& uses_;
  Open open_;
  /// Transfers by window and target: whether one of them accumulates.
  std::map<std::uint32_t, std::map<std::int32_t, bool>> pending_;
};

PassiveTargets::PassiveTargets(const profile::Profile& profile)
    : profile_(profile), ranks_(profile), found_(profile.ranks.size()) {
  std::vector<Use> uses;
  for (std::uint32_t rank = 0; rank < profile.ranks.size(); ++rank) {
    Collector collector(rank, holds_, uses);
    for_each_call(profile.ranks[rank].events, [&](const Call& call) { collector.take(call); });
  }
  for (auto& [target, holds] : holds_) std::ranges::sort(holds, {}, &Hold::release_ns);
  for (const Use& use : uses)
    if (needs_no_target(use)) independent_.emplace(use.window, use.accumulates);
  for (const Use& use : uses)
    found_[use.call.rank][use.call.event] = {release_before(use), entry_before(use)};
}

/// Whether it completed transfers while one of their targets was outside MPI from its begin to its end.
bool PassiveTargets::needs_no_target(const Use& use) const {
  const Event& call = at(profile_, use.call);
  return use.completes && std::ranges::any_of(use.targets, [&](std::int32_t target) {
           const std::uint32_t position = ranks_.position(target);
           if (position == EventId::none || position == use.call.rank) return false;
           const auto entry_ns = next_entry_ns(profile_.ranks[position], call.begin_ns);
           return entry_ns && *entry_ns > call.end_ns;
         });
}

/// Of those who had a lock that this one's excludes. Where the call is not the lock itself, it got the lock
/// late if the other's unlock was over before.
std::optional<std::int64_t> PassiveTargets::release_before(const Use& use) const {
  const Event& call = at(profile_, use.call);
  std::optional<std::int64_t> latest_ns;
  const auto look_at = [&](const std::vector<Hold>& holds) {
    auto hold = std::ranges::lower_bound(holds, call.end_ns, {}, &Hold::release_ns);
    while (hold != holds.begin() && std::prev(hold)->release_ns > call.begin_ns) {
      --hold;
      const bool excludes = hold->rank != use.call.rank && (hold->is_exclusive || use.is_exclusive);
      if (!excludes || (!use.is_lock && hold->released_ns > call.end_ns)) continue;
      latest_ns = std::max(latest_ns.value_or(hold->release_ns), hold->release_ns);
      return;
    }
  };
  for (auto locked = holds_.lower_bound({use.window, everybody});
       locked != holds_.end() && locked->first.first == use.window; ++locked) {
    const std::int32_t other = locked->first.second;
    if (use.locked == everybody || other == everybody || other == use.locked) look_at(locked->second);
  }
  return latest_ns;
}

std::optional<std::int64_t> PassiveTargets::entry_before(const Use& use) const {
  if (independent_.contains({use.window, use.accumulates})) return std::nullopt;
  const Event& call = at(profile_, use.call);
  std::optional<std::int64_t> latest_ns;
  for (const std::int32_t target : use.targets) {
    const std::uint32_t position = ranks_.position(target);
    if (position == EventId::none || position == use.call.rank) continue;
    const auto entry_ns = next_entry_ns(profile_.ranks[position], call.begin_ns);
    if (entry_ns && *entry_ns < call.end_ns) latest_ns = std::max(latest_ns.value_or(*entry_ns), *entry_ns);
  }
  return latest_ns;
}

const PassiveTargets::Found* PassiveTargets::find(EventId call) const {
  const auto found = found_[call.rank].find(call.event);
  return found == found_[call.rank].end() ? nullptr : &found->second;
}

std::optional<std::int64_t> PassiveTargets::held_until_ns(EventId call) const {
  const Found* found = find(call);
  return found == nullptr ? std::nullopt : found->held_until_ns;
}

std::optional<std::int64_t> PassiveTargets::entered_ns(EventId call) const {
  const Found* found = find(call);
  return found == nullptr ? std::nullopt : found->entered_ns;
}

}  // namespace loadshare::waiting
