#include "runtime/timing/trace_rows.hpp"

#include <algorithm>
#include <unordered_map>

namespace loadshare {
namespace {

/// From here on a stay is worth a bar; shorter ones are below the stamps' own resolution.
constexpr double least_bar_s = 1e-9;

/// The number of a host, counted from 1: the viewers take process 0 for the idle process.
int host_number(std::vector<std::string>& hosts, const std::string& host) {
  const auto at = std::find(hosts.begin(), hosts.end(), host);
  const auto number = static_cast<int>(at - hosts.begin()) + 1;
  if (at == hosts.end()) hosts.push_back(host);
  return number;
}

std::vector<Trip> trips_of(const std::vector<const ChunkRecord*>& chunks) {
  std::vector<Trip> trips;
  const auto add = [&trips](TripKind kind, const ChunkRecord* chunk, double from_s, double to_s) {
    if (to_s - from_s >= least_bar_s) trips.push_back({kind, chunk, from_s, to_s, 0});
  };
  for (const ChunkRecord* chunk : chunks) {
    add(TripKind::transit, chunk, chunk->assigned_s, chunk->received_s);
    add(TripKind::queued, chunk, chunk->received_s, chunk->begun_s);
    add(TripKind::returning, chunk, chunk->ended_s, chunk->returned_s);
  }
  std::stable_sort(trips.begin(), trips.end(),
                   [](const Trip& a, const Trip& b) { return a.from_s < b.from_s; });
  return trips;
}

/// Gives each trip the first lane that is free when it sets out; returns the number of lanes.
std::size_t spread_over_lanes(std::vector<Trip>& trips) {
  std::vector<double> free_from_s;
  for (Trip& trip : trips) {
    const auto lane = std::find_if(free_from_s.begin(), free_from_s.end(),
                                   [&](double free_s) { return free_s <= trip.from_s; });
    trip.lane = static_cast<std::size_t>(lane - free_from_s.begin());
    if (lane == free_from_s.end()) free_from_s.push_back(0);
    free_from_s[trip.lane] = trip.to_s;
  }
  return free_from_s.size();
}

/// The chunks of each worker in the order they were begun.
std::unordered_map<std::uint32_t, std::vector<const ChunkRecord*>> chunks_by_worker(const RunRecord& record) {
  std::unordered_map<std::uint32_t, std::vector<const ChunkRecord*>> chunks;
  for (const ChunkRecord& chunk : record.chunks) chunks[to_number(chunk.worker)].push_back(&chunk);
  for (auto& [worker, list] : chunks)
    std::stable_sort(list.begin(), list.end(),
                     [](const ChunkRecord* a, const ChunkRecord* b) { return a->begun_s < b->begun_s; });
  return chunks;
}

const std::string& master_host(const RunRecord& record) {
  static const std::string nowhere = "no host";
  for (const RankRecord& rank : record.ranks)
    if (rank.role != Role::worker) return rank.host;
  return record.ranks.empty() ? nowhere : record.ranks.front().host;
}

const LoadedRank* load_of(const RunRecord& record, int rank) {
  if (!record.load) return nullptr;
  const auto found = std::ranges::find(record.load->ranks, rank, &LoadedRank::rank);
  return found == record.load->ranks.end() ? nullptr : &*found;
}

RankRows rows_of(const RankRecord& rank, const LoadedRank* load, int host,
                 std::vector<const ChunkRecord*> chunks, int& next_row) {
  RankRows rows{&rank, {host, next_row++}, {}, std::move(chunks), {}, load, {}};
  if (load != nullptr) rows.load_row = {host, next_row++};
  rows.trips = trips_of(rows.chunks);
  const std::size_t lanes = spread_over_lanes(rows.trips);
  for (std::size_t lane = 0; lane < lanes; ++lane) rows.lanes.push_back({host, next_row++});
  return rows;
}

}  // namespace

std::string_view trip_name(TripKind kind) {
  switch (kind) {
    case TripKind::transit:
      return "transit";
    case TripKind::queued:
      return "queued";
    case TripKind::returning:
      return "returning";
  }
  return "unknown";
}

TraceLayout lay_out(const RunRecord& record) {
  TraceLayout layout;
  auto chunks = chunks_by_worker(record);
  int next_row = 1;
  layout.run = {host_number(layout.hosts, master_host(record)), next_row++};
  for (const RankRecord& rank : record.ranks) {
    const int host = host_number(layout.hosts, rank.host);
    auto own = rank.worker ? std::move(chunks[to_number(*rank.worker)]) : std::vector<const ChunkRecord*>{};
    layout.ranks.push_back(rows_of(rank, load_of(record, rank.rank), host, std::move(own), next_row));
  }
  return layout;
}

}  // namespace loadshare
