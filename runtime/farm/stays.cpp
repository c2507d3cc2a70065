#include "runtime/farm/stays.hpp"

#include <algorithm>

namespace loadshare {
namespace {

/// A stretch of the run in which a worker was there.
struct Stay {
  double from_s = 0;
  double to_s = 0;
};

/// Whether a worker is there after the event; nothing: as before. Of one that was silent its own account
/// tells, where it has one.
std::optional<bool> is_there_after(MemberEvent::What what, Accounted accounted) {
  switch (what) {
    case MemberEvent::What::joined:
      return true;
    case MemberEvent::What::left:
    case MemberEvent::What::lost:
      return false;
    case MemberEvent::What::silent:
    case MemberEvent::What::back:
      if (accounted == Accounted::itself) return std::nullopt;
      return what == MemberEvent::What::back;
    default:
      return std::nullopt;
  }
}

std::vector<Stay> stays_of(WorkerId worker, Accounted accounted, const std::vector<MemberEvent>& events,
                           double makespan_s) {
  std::vector<Stay> stays;
  bool is_there = false;
  for (const MemberEvent& event : events) {
    const auto is_now = is_there_after(event.what, accounted);
    if (event.worker != worker || !is_now || *is_now == is_there) continue;
    is_there = *is_now;
    const double at_s = std::clamp(event.at_s, 0.0, makespan_s);
    if (is_there)
      stays.push_back({at_s, makespan_s});
    else
      stays.back().to_s = at_s;
  }
  return stays;
}

/// Returns how long they took.
double add_chunks(RankRecord& row, const ChunkSums& chunks) {
  row.computing_s += chunks.cpu_s;
  row.communicating_s += chunks.waited_s;
  row.stolen_s += chunks.stolen_s;
  return chunks.wall_s;
}

}  // namespace

void fill_stays(RankRecord& row, Accounted accounted, const WorkerChunks& chunks,
                const std::vector<MemberEvent>& events, double makespan_s) {
  std::vector<Stay> stays = stays_of(*row.worker, accounted, events, makespan_s);
  if (events.empty())
    stays.push_back({0, accounted == Accounted::itself ? makespan_s : chunks.last_return_s});
  double open_s = makespan_s;  // of which no account tells: from the start on
  const ChunkSums* outside_account = &chunks.all;
  if (accounted == Accounted::itself && !stays.empty()) {
    open_s = std::min(stays.back().from_s, row.idle_s);  // it seemed idle until it came
    outside_account = &chunks.before_last_joining;
    row.idle_s -= open_s;
    stays.pop_back();
  }
  double there_s = 0;
  if (row.chunks <= chunks.all.chunks) {  // all were timed
    for (const Stay& stay : stays) there_s += stay.to_s - stay.from_s;
    row.idle_s += std::max(0.0, there_s - add_chunks(row, *outside_account));
  }
  row.away_s = std::max(0.0, open_s - there_s);
  row.unaccounted_s =
      makespan_s - row.computing_s - row.stolen_s - row.communicating_s - row.idle_s - row.away_s;
}

}  // namespace loadshare
