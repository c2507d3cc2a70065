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
    case MemberEvent::What::heard:
      if (accounted == Accounted::itself) return std::nullopt;
      return what == MemberEvent::What::heard;
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

double last_return_s(WorkerId worker, const std::vector<ChunkRecord>& chunks) {
  double last_s = 0;
  for (const ChunkRecord& chunk : chunks)
    if (chunk.worker == worker) last_s = std::max(last_s, chunk.returned_s);
  return last_s;
}

bool are_all_timed(const RankRecord& row, const std::vector<ChunkRecord>& chunks) {
  return row.chunks <= std::ranges::count_if(chunks, [&row](const ChunkRecord& chunk) {
           return chunk.worker == *row.worker && !chunk.is_duplicate;
         });
}

/// Returns how long they took.
double add_chunks(RankRecord& row, const std::vector<ChunkRecord>& chunks, double until_s) {
  double all_s = 0;
  for (const ChunkRecord& chunk : chunks) {
    if (chunk.worker != *row.worker || chunk.returned_s > until_s) continue;
    const double wall_s = chunk.ended_s - chunk.begun_s;
    row.computing_s += chunk.cpu_s;
    row.communicating_s += chunk.waited_s;
    row.stolen_s += std::max(0.0, wall_s - chunk.waited_s - chunk.cpu_s);
    all_s += wall_s;
  }
  return all_s;
}

}  // namespace

void fill_stays(RankRecord& row, Accounted accounted, const std::vector<ChunkRecord>& chunks,
                const std::vector<MemberEvent>& events, double makespan_s) {
  std::vector<Stay> stays = stays_of(*row.worker, accounted, events, makespan_s);
  if (events.empty())
    stays.push_back({0, accounted == Accounted::itself ? makespan_s : last_return_s(*row.worker, chunks)});
  double open_s = makespan_s;  // of which no account tells: from the start on
  if (accounted == Accounted::itself && !stays.empty()) {
    open_s = std::min(stays.back().from_s, row.idle_s);  // it seemed idle until it came
    row.idle_s -= open_s;
    stays.pop_back();
  }
  double there_s = 0;
  if (are_all_timed(row, chunks)) {
    for (const Stay& stay : stays) there_s += stay.to_s - stay.from_s;
    row.idle_s += std::max(0.0, there_s - add_chunks(row, chunks, open_s));
  }
  row.away_s = std::max(0.0, open_s - there_s);
  row.unaccounted_s =
      makespan_s - row.computing_s - row.stolen_s - row.communicating_s - row.idle_s - row.away_s;
}

}  // namespace loadshare
