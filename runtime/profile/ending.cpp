#include "runtime/profile/ending.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace loadshare::profile {
namespace {

constexpr std::int64_t longest_silence_ns = 100'000'000;  ///< two periods of the signs of life

bool has_signed_off(const Slot& slot) {
  return slot.last_sign.clock.ticks != 0;
}

/// One without a time where there is none.
const LifeSign& latest_sign(const Slot& slot) {
  if (has_signed_off(slot)) return slot.last_sign;
  return *std::ranges::max_element(slot.signs, {}, [](const LifeSign& sign) { return sign.clock.ticks; });
}

/// Null where there is none, or none is needed.
const LifeSign* last_sign(const Slot& slot) {
  if (slot.has_finalized != 0) return nullptr;
  const LifeSign& latest = latest_sign(slot);
  return has_signed_off(slot) || latest.clock.ticks > slot.end_ticks ? &latest : nullptr;
}

/// A sign before the last call is not much older than the end.
std::int64_t other_threads_cpu_ns(const Slot& slot) {
  if (slot.has_finalized != 0) return slot.other_threads_cpu_ns;
  const LifeSign& latest = latest_sign(slot);
  return latest.clock.ticks != 0 ? latest.other_threads_cpu_ns : 0;
}

std::string name_of(const Slot& slot) {
  const int signal = slot.last_sign.signal;
  if (signal == 0) return slot.has_aborted != 0 ? "MPI_Abort" : "exit";
  const char* name = sigabbrev_np(signal);
  return name == nullptr ? fmt::format("signal {}", signal) : fmt::format("SIG{}", name);
}

Lost lost_in(std::int64_t tail_ns, bool is_in_call, const LifeSign& sign) {
  Stretch stretch;
  (is_in_call ? stretch.inside_ns : stretch.outside_ns) = tail_ns;
  (is_in_call ? stretch.last_inside_ns : stretch.last_outside_ns) = tail_ns;
  return settle(stretch, {sign.ran_ns, sign.waited_ns});
}

void extend(Event& call, std::int64_t by_ns) {
  call.inside_ns += by_ns;
  call.end_ns += by_ns;
}

void extend_open_call(RankProfile& rank, std::int64_t by_ns) {
  extend(*rank.open_call, by_ns);
  rank.inside_ns += by_ns;
  rank.end_ns += by_ns;
  if (!rank.ends_in_call) return;
  extend(rank.events.back(), by_ns);
  rank.events_end_ns = rank.end_ns;
}

}  // namespace

/// The thread may have gone on for a moment while another one's handler signed off.
Ending ending_of(const Slot& slot, const ClockAxis& axis) {
  Ending ending;
  ending.end_ticks = slot.end_ticks;
  ending.other_threads_cpu_ns = other_threads_cpu_ns(slot);
  ending.is_in_call =
      slot.has_finalized == 0 && slot.open.begin_ticks != 0 && slot.open.begin_ticks == slot.end_ticks;
  const LifeSign* sign = last_sign(slot);
  if (sign == nullptr) return ending;
  if (has_signed_off(slot)) ending.by = name_of(slot);
  ending.end_ticks = std::max(slot.end_ticks, sign->clock.ticks);
  ending.tail_ns = axis.length_ns(ending.end_ticks - slot.end_ticks);
  ending.tells_stolen = sign->ran_ns != LifeSign::not_told;
  if (ending.tells_stolen) ending.lost = lost_in(ending.tail_ns, ending.is_in_call, *sign);
  return ending;
}

const ClockPair& last_clock(const Slot& slot) {
  const LifeSign* sign = last_sign(slot);
  return sign != nullptr ? sign->clock : slot.last_clock;
}

bool gives_signs(const Slot& slot) {
  return std::ranges::any_of(slot.signs, [](const LifeSign& sign) { return sign.clock.ticks != 0; });
}

void extend_open_calls(Profile& profile) {
  std::int64_t latest_ns = 0;
  for (const RankProfile& rank : profile.ranks) latest_ns = std::max(latest_ns, rank.end_ns);
  for (RankProfile& rank : profile.ranks) {
    if (!rank.open_call || !rank.ended_by.empty()) continue;
    const std::int64_t silence_ns = latest_ns - rank.end_ns;
    extend_open_call(rank, rank.gives_signs ? std::min(silence_ns, longest_silence_ns) : silence_ns);
  }
}

}  // namespace loadshare::profile
