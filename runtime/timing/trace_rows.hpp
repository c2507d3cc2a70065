#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runtime/timing/records.hpp"

namespace loadshare {

/// One row of the chart: a thread of a process in the trace viewers' words.
struct TraceRow {
  int host = 0;  ///< position in TraceLayout::hosts, counted from 1
  int id = 0;    ///< unique over the whole trace; rows are drawn in this order
};

/// What a chunk does between being given away and having been computed, and after.
enum class TripKind { transit, queued, returning };

std::string_view trip_name(TripKind kind);

struct Trip {
  TripKind kind;
  const ChunkRecord* chunk;
  double from_s;
  double to_s;
  std::size_t lane;  ///< index into RankRows::lanes
};

/// The rows of one rank. Bars in one row must not overlap (the viewers would draw them wrongly), and with
/// prefetch several chunks are on the way at a time: they are spread over as many lanes as that takes.
struct RankRows {
  const RankRecord* rank;
  TraceRow computing;
  std::vector<TraceRow> lanes;
  std::vector<const ChunkRecord*> chunks;  ///< by the time computing began
  std::vector<Trip> trips;
  const LoadedRank* load = nullptr;  ///< nothing: it was not disturbed on purpose
  TraceRow load_row;
};

struct TraceLayout {
  std::vector<std::string> hosts;
  TraceRow run;
  std::vector<RankRows> ranks;
};

/// Which event goes into which row. Keeps pointers into `record`. Chunks of a worker that no rank claims get
/// no row.
TraceLayout lay_out(const RunRecord& record);

}  // namespace loadshare
