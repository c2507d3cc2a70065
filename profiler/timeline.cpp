#include "profiler/timeline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace loadshare::profile {
namespace {

constexpr std::int64_t longest_silence_ns = 100'000'000;  ///< two heartbeat periods

bool has_recorded_end(const Slot& slot) {
  return slot.final_heartbeat.clock.ticks != 0;
}

/// Returns the latest heartbeat; its clock is 0 if there is none.
const Heartbeat& latest_heartbeat(const Slot& slot) {
  if (has_recorded_end(slot)) return slot.final_heartbeat;
  return *std::ranges::max_element(slot.heartbeats, {},
                                   [](const Heartbeat& heartbeat) { return heartbeat.clock.ticks; });
}

/// Returns the heartbeat that determines the rank's end; null if there is none, or none is needed.
const Heartbeat* heartbeat_of_end(const Slot& slot) {
  if (slot.has_finalized != 0) return nullptr;
  const Heartbeat& latest = latest_heartbeat(slot);
  return has_recorded_end(slot) || latest.clock.ticks > slot.end_ticks ? &latest : nullptr;
}

/// Returns the processor time of the other threads. Without MPI_Finalize it is that of the latest heartbeat,
/// which is little older than the end.
std::int64_t other_threads_cpu_ns(const Slot& slot) {
  if (slot.has_finalized != 0) return slot.other_threads_cpu_ns;
  const Heartbeat& latest = latest_heartbeat(slot);
  return latest.clock.ticks != 0 ? latest.other_threads_cpu_ns : 0;
}

std::string name_of(const Slot& slot) {
  const int signal = slot.final_heartbeat.signal;
  if (signal == 0) return slot.has_aborted != 0 ? "MPI_Abort" : "exit";
  const char* name = sigabbrev_np(signal);
  return name == nullptr ? fmt::format("signal {}", signal) : fmt::format("SIG{}", name);
}

Lost lost_in(std::int64_t tail_ns, bool is_in_call, const Heartbeat& heartbeat) {
  Stretch stretch;
  (is_in_call ? stretch.inside_ns : stretch.outside_ns) = tail_ns;
  (is_in_call ? stretch.last_inside_ns : stretch.last_outside_ns) = tail_ns;
  return losses_of(stretch, {heartbeat.ran_ns, heartbeat.waited_ns});
}

void extend(Event& call, std::int64_t by_ns) {
  call.inside_ns += by_ns;
  call.end_ns += by_ns;
}

void extend_open_call(RankProfile& rank, std::int64_t by_ns) {
  extend(*rank.open_call, by_ns);
  rank.inside_ns += by_ns;
  if (rank.counted && !rank.counted->spans.empty() && rank.counted->spans.back().end_ns == rank.end_ns) {
    rank.counted->inside_ns += by_ns;
    rank.counted->spans.back().end_ns += by_ns;
  }
  rank.end_ns += by_ns;
  if (!rank.ends_in_call) return;
  extend(rank.events.back(), by_ns);
  rank.events_end_ns = rank.end_ns;
}

constexpr int scale_bits = 48;
constexpr double longest_tick_ns = 16384;  ///< its scale is 2^62
/// The clocks of two kernels never drift apart faster than this.
constexpr double most_drift = 1e-3;

/// Returns the growth of the offset to rank 0's clock per nanosecond. It is 0 if the two readings differ by
/// more than clocks drift: in a short run their errors dominate.
double drift_between(const ClockOffset& first, const ClockOffset& last) {
  if (last.at_ns <= first.at_ns || first.at_ns <= 0) return 0;
  const double drift =
      static_cast<double>(last.ahead_ns - first.ahead_ns) / static_cast<double>(last.at_ns - first.at_ns);
  return std::abs(drift) <= most_drift ? drift : 0;
}

double tick_ns(const ClockPair& first, const ClockPair& last) {
  const double rate = ticks_per_ns(first, last);
  return rate > 0 ? std::min(1 / rate, longest_tick_ns / 2) : 1;
}

}  // namespace

Lost losses_of(const Stretch& stretch, const Progress& progress) {
  const std::int64_t all_ns = stretch.outside_ns + stretch.inside_ns;
  const std::int64_t stolen_ns = std::clamp<std::int64_t>(progress.waited_ns, 0, all_ns);
  const std::int64_t slept_ns = std::max<std::int64_t>(0, all_ns - stolen_ns - progress.ran_ns);
  const std::int64_t blocked_ns = std::min(slept_ns, stretch.outside_ns);
  std::int64_t outside_ns = stretch.outside_ns - blocked_ns;
  std::int64_t inside_ns = stretch.inside_ns - (slept_ns - blocked_ns);
  const std::int64_t last_outside_ns = std::min({stolen_ns, stretch.last_outside_ns, outside_ns});
  const std::int64_t last_inside_ns = std::min({stolen_ns, stretch.last_inside_ns, inside_ns});
  outside_ns -= last_outside_ns;
  inside_ns -= last_inside_ns;
  const std::int64_t rest_ns = stolen_ns - last_outside_ns - last_inside_ns;
  const double share = outside_ns + inside_ns > 0
                           ? static_cast<double>(outside_ns) / static_cast<double>(outside_ns + inside_ns)
                           : 0;
  const auto rest_outside_ns = static_cast<std::int64_t>(share * static_cast<double>(rest_ns));
  return {last_outside_ns + rest_outside_ns, last_inside_ns + rest_ns - rest_outside_ns, last_inside_ns,
          blocked_ns};
}

/// Takes the later of two ends: the thread may have continued for a moment while another thread's handler
/// recorded the end.
Ending ending_of(const Slot& slot, const ClockAxis& axis) {
  Ending ending;
  ending.end_ticks = slot.end_ticks;
  ending.other_threads_cpu_ns = other_threads_cpu_ns(slot);
  ending.is_in_call =
      slot.has_finalized == 0 && slot.open.begin_ticks != 0 && slot.open.begin_ticks == slot.end_ticks;
  const Heartbeat* heartbeat = heartbeat_of_end(slot);
  if (heartbeat == nullptr) return ending;
  if (has_recorded_end(slot)) ending.by = name_of(slot);
  ending.end_ticks = std::max(slot.end_ticks, heartbeat->clock.ticks);
  ending.tail_ns = axis.length_ns(ending.end_ticks - slot.end_ticks);
  ending.is_stolen_known = heartbeat->ran_ns != Heartbeat::not_recorded;
  if (ending.is_stolen_known) ending.lost = lost_in(ending.tail_ns, ending.is_in_call, *heartbeat);
  return ending;
}

const ClockPair& last_clock(const Slot& slot) {
  const Heartbeat* heartbeat = heartbeat_of_end(slot);
  return heartbeat != nullptr ? heartbeat->clock : slot.last_clock;
}

bool has_heartbeat(const Slot& slot) {
  return std::ranges::any_of(slot.heartbeats,
                             [](const Heartbeat& heartbeat) { return heartbeat.clock.ticks != 0; });
}

void extend_open_calls(Profile& profile) {
  std::int64_t latest_ns = 0;
  for (const RankProfile& rank : profile.ranks) latest_ns = std::max(latest_ns, rank.end_ns);
  for (RankProfile& rank : profile.ranks) {
    if (!rank.open_call || !rank.ended_by.empty()) continue;
    const std::int64_t silence_ns = latest_ns - rank.end_ns;
    extend_open_call(rank, rank.has_heartbeat ? std::min(silence_ns, longest_silence_ns) : silence_ns);
  }
}

/// Rounds the scale up, so that whole numbers of nanoseconds are preserved.
ClockAxis::ClockAxis(const Slot& slot, const SectionHeader& section) : first_ticks_(slot.first_clock.ticks) {
  const ClockOffset& offset = section.offsets[0];
  const std::int64_t here_ns = slot.first_clock.monotonic_ns;
  const double drift = drift_between(offset, section.offsets[1]);
  origin_ns_ = here_ns - offset.ahead_ns - std::llround(drift * static_cast<double>(here_ns - offset.at_ns));
  const double scale = (1 - drift) * tick_ns(slot.first_clock, last_clock(slot));
  scale_ = static_cast<std::int64_t>(std::ceil(std::ldexp(scale, scale_bits)));
}

std::int64_t ClockAxis::length_ns(std::uint64_t ticks) const {
  __extension__ using Wide = __int128;
  constexpr Wide longest_ns = std::int64_t{1} << 59;  // longer than any clock runs: the file is damaged
  const Wide length_ns = (Wide{static_cast<std::int64_t>(ticks)} * scale_) >> scale_bits;
  return static_cast<std::int64_t>(std::clamp<Wide>(length_ns, -longest_ns, longest_ns));
}

}  // namespace loadshare::profile
