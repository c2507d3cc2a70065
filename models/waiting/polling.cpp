#include "models/waiting/polling.hpp"

#include <unordered_map>

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

Polling::Polling(const profile::Profile& profile) {
  for (const profile::RankProfile& rank : profile.ranks) {
    Linker linker(success_of_.emplace_back(rank.events.size(), EventId::none));
    for_each_call(rank.events, [&](const Call& call) { linker.take(call); });
  }
}

}  // namespace loadshare::waiting
