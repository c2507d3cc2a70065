#include "runtime/records/trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/chunk_text.hpp"
#include "base/names.hpp"
#include "runtime/records/json.hpp"

namespace loadshare {
namespace {

/// One row of the chart; the trace viewers call it a thread of a process.
struct TraceRow {
  int host = 0;  ///< position in TraceLayout::hosts, counted from 1
  int id = 0;    ///< unique over the whole trace; rows are drawn in this order
};

/// The states of a chunk between its assignment and its return, other than being computed.
enum class TripKind { transit, queued, returning };

struct Trip {
  TripKind kind;
  const ChunkRecord* chunk;
  double from_s;
  double to_s;
  std::size_t channel;  ///< index into RankRows::channels
};

/// The rows of one rank. Bars in a row must not overlap, because the viewers would draw them wrongly. With
/// prefetch several chunks travel at the same time, so they are spread over as many channels as needed.
struct RankRows {
  const RankRecord* rank;
  TraceRow computing;
  std::vector<TraceRow> channels;
  std::vector<const ChunkRecord*> chunks;  ///< by the time computing began
  std::vector<Trip> trips;
  const LoadedRank* load = nullptr;  ///< null: the rank has no background load
  TraceRow load_row;
};

struct TraceLayout {
  std::vector<std::string> hosts;
  TraceRow run;
  std::vector<RankRows> ranks;
};

/// The shortest state with a bar; shorter ones are below the resolution of the stamps.
constexpr double least_bar_s = 1e-9;

/// Returns the number of a host, from 1, because the viewers take process 0 for the idle process.
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

/// Gives each trip the first channel that is free at its start. Returns the number of channels.
std::size_t spread_over_channels(std::vector<Trip>& trips) {
  std::vector<double> free_from_s;
  for (Trip& trip : trips) {
    const auto channel = std::find_if(free_from_s.begin(), free_from_s.end(),
                                      [&](double free_s) { return free_s <= trip.from_s; });
    trip.channel = static_cast<std::size_t>(channel - free_from_s.begin());
    if (channel == free_from_s.end()) free_from_s.push_back(0);
    free_from_s[trip.channel] = trip.to_s;
  }
  return free_from_s.size();
}

/// Returns the chunks of each worker in the order in which they were begun.
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
  const std::size_t channels = spread_over_channels(rows.trips);
  for (std::size_t channel = 0; channel < channels; ++channel) rows.channels.push_back({host, next_row++});
  return rows;
}

std::string_view trip_name(TripKind kind) {
  static constexpr Choices<TripKind, 3> names{
      {{"transit", TripKind::transit}, {"queued", TripKind::queued}, {"returning", TripKind::returning}}};
  return name_among(names, kind);
}

/// Assigns rows to hosts and ranks. Keeps pointers into `record`. Chunks of a worker that no rank claims get
/// no row.
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

/// Converts to microseconds; 0 if not finite, because the viewers do not accept null.
double microseconds(double seconds) {
  return std::isfinite(seconds) ? seconds * 1e6 : 0.0;
}

/// Escapes `text` for use within a JSON string.
std::string escaped(std::string_view text) {
  const std::string quoted = json_quoted(text);
  return quoted.substr(1, quoted.size() - 2);
}

/// Writes events into one JSON array.
class EventList {
 public:
  explicit EventList(const ByteSink& out) : out_(out) { out_(R"({"displayTimeUnit":"ms","traceEvents":[)"); }

  void name_host(int host, std::string_view name) {
    add(fmt::format(R"({{"ph":"M","pid":{},"name":"process_name","args":{{"name":{}}}}})", host,
                    json_quoted(name)));
    add(fmt::format(R"({{"ph":"M","pid":{0},"name":"process_sort_index","args":{{"sort_index":{0}}}}})",
                    host));
  }

  void name_row(const TraceRow& row, std::string_view name) {
    add(fmt::format(R"({{"ph":"M","pid":{},"tid":{},"name":"thread_name","args":{{"name":{}}}}})", row.host,
                    row.id, json_quoted(name)));
    add(fmt::format(R"({{"ph":"M","pid":{},"tid":{},"name":"thread_sort_index","args":{{"sort_index":{}}}}})",
                    row.host, row.id, row.id));
  }

  /// Adds a bar. `name` and `arguments` are already JSON, without the quotes and braces around them, because
  /// a run has too many bars to escape the same words for each.
  void bar(const TraceRow& row, std::string_view category, std::string_view name, double from_s, double to_s,
           std::string_view arguments) {
    event_.clear();
    fmt::format_to(
        std::back_inserter(event_),
        R"({{"ph":"X","pid":{},"tid":{},"cat":"{}","name":"{}","ts":{:.3f},"dur":{:.3f},"args":{{{}}}}})",
        row.host, row.id, category, name, microseconds(from_s), microseconds(std::max(0.0, to_s - from_s)),
        arguments);
    add(event_);
  }

  void moment(const TraceRow& row, std::string_view name, double at_s) {
    add(fmt::format(R"({{"ph":"i","s":"t","pid":{},"tid":{},"cat":"member","name":"{}","ts":{:.3f}}})",
                    row.host, row.id, name, microseconds(at_s)));
  }

  void end() { out_("\n]}\n"); }

 private:
  void add(const std::string& event) {
    out_(has_events_ ? ",\n" : "\n");
    out_(event);
    has_events_ = true;
  }

  const ByteSink& out_;
  std::string event_;
  bool has_events_ = false;
};

std::string chunk_arguments(const ChunkRecord& chunk, int rank) {
  std::string text =
      fmt::format(R"("rank":{},"first":{},"size":{})", rank, chunk.chunk.first, chunk.chunk.size);
  const auto add = [&text](std::string_view key, double seconds) {
    fmt::format_to(std::back_inserter(text), R"(,"{}":)", key);
    append_seconds(text, seconds);
  };
  add("assigned_s", chunk.assigned_s);
  add("received_s", chunk.received_s);
  add("begun_s", chunk.begun_s);
  add("ended_s", chunk.ended_s);
  add("returned_s", chunk.returned_s);
  add("cpu_s", chunk.cpu_s);
  add("waited_s", chunk.waited_s);
  add("stolen_s", std::max(0.0, chunk.ended_s - chunk.begun_s - chunk.waited_s - chunk.cpu_s));
  text += chunk.is_duplicate ? R"(,"duplicate":true)" : R"(,"duplicate":false)";
  return text;
}

void add_computing(EventList& events, std::string_view word, const RankRows& rows) {
  for (const ChunkRecord* chunk : rows.chunks) {
    // The input arrives in pieces, and the worker may wait for each: all waits are drawn before the
    // computing.
    const double computes_from_s = std::min(chunk->begun_s + chunk->waited_s, chunk->ended_s);
    if (chunk->waited_s >= least_bar_s)
      events.bar(rows.computing, "waiting", "waiting for the broadcast input", chunk->begun_s,
                 computes_from_s, "");
    events.bar(rows.computing, "computing", chunk_text(word, chunk->chunk), computes_from_s, chunk->ended_s,
               chunk_arguments(*chunk, rows.rank->rank));
  }
}

void add_travelling(EventList& events, std::string_view word, const RankRows& rows) {
  for (const Trip& trip : rows.trips)
    events.bar(rows.channels[trip.channel], trip_name(trip.kind),
               fmt::format("{} {}", trip_name(trip.kind), chunk_text(word, trip.chunk->chunk)), trip.from_s,
               trip.to_s, "");
}

void add_load(EventList& events, const RankRows& rows) {
  events.name_row(rows.load_row, fmt::format("rank {} load", rows.rank->rank));
  for (const LoadPhase& phase : rows.load->phases)
    events.bar(rows.load_row, "load", fmt::format("load {:g} %", 100 * phase.share), phase.from_s, phase.to_s,
               fmt::format(R"("share":{})", phase.share));
}

/// Adds the run and the distribution of the shared input, in a row of their own in the master's group.
void add_run(EventList& events, const RunRecord& record, const TraceRow& row) {
  events.name_row(row, "the run");
  events.bar(row, "run", escaped(fmt::format("{} {}", record.app, record.scheduler)), 0, record.makespan_s,
             fmt::format(R"("workers":{},"iterations":{})", record.workers, record.iterations));
  if (record.shared_input_s > 0)
    events.bar(row, "broadcast input", "broadcast input", 0, record.shared_input_s, "");
}

void add_rank(EventList& events, std::string_view word, const RankRows& rows) {
  std::string name =
      fmt::format("rank {} ({}) {}", rows.rank->rank, name_among(roles, rows.rank->role), rows.rank->host);
  if (rows.rank->capacity < 1) name += fmt::format(", {:g} of a processor", rows.rank->capacity);
  events.name_row(rows.computing, name);
  for (const TraceRow& channel : rows.channels)
    events.name_row(channel, fmt::format("rank {} on the way", rows.rank->rank));
  if (rows.load != nullptr) add_load(events, rows);
  add_computing(events, word, rows);
  add_travelling(events, word, rows);
}

/// Adds membership changes and repeated assignments, in the rows of their workers.
void add_members(EventList& events, const MembershipRecord& members, const std::vector<RankRows>& ranks) {
  const auto mark = [&](WorkerId worker, std::string_view name, double at_s) {
    const auto rows =
        std::ranges::find(ranks, std::optional(worker), [](const RankRows& its) { return its.rank->worker; });
    if (rows != ranks.end()) events.moment(rows->computing, name, at_s);
  };
  for (const MemberEvent& event : members.events)
    mark(event.worker, name_among(member_events, event.what), event.at_s);
  for (const GivenAgain& again : members.given_again) mark(again.worker, "given again", again.at_s);
}

}  // namespace

void write_trace_events(const RunRecord& record, const ByteSink& out) {
  const TraceLayout layout = lay_out(record);
  EventList events(out);
  for (std::size_t host = 0; host < layout.hosts.size(); ++host)
    events.name_host(static_cast<int>(host) + 1, layout.hosts[host]);
  add_run(events, record, layout.run);
  const std::string word = escaped(record.iteration_name);
  for (const RankRows& rows : layout.ranks) add_rank(events, word, rows);
  if (record.membership) add_members(events, *record.membership, layout.ranks);
  events.end();
}

void write_trace(const RunRecord& record, const std::string& path) {
  replace_file(path, [&](const ByteSink& out) { write_trace_events(record, out); });
}

}  // namespace loadshare
