#include "runtime/timing/trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>

#include "runtime/timing/json_text.hpp"
#include "runtime/timing/trace_rows.hpp"

namespace loadshare {
namespace {

/// The viewers know no null.
double microseconds(double seconds) {
  return std::isfinite(seconds) ? seconds * 1e6 : 0.0;
}

/// `text` as it stands inside a JSON string.
std::string escaped(std::string_view text) {
  const std::string quoted = json_quoted(text);
  return quoted.substr(1, quoted.size() - 2);
}

/// Puts events into one JSON array, separated as they must be.
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

  /// `name` and `arguments` are JSON already, without the quotes and braces around them: a run has too many
  /// bars to escape the same words for each.
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

/// `word` is the application's for iterations, escaped.
std::string chunk_name(std::string_view word, const Chunk& chunk) {
  return fmt::format("{} {}-{}", word, chunk.first, chunk.end() - 1);
}

std::string chunk_arguments(const ChunkRecord& chunk) {
  std::string text = fmt::format(R"("worker":{},"first":{},"size":{})", to_number(chunk.worker),
                                 chunk.chunk.first, chunk.chunk.size);
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
  add("stolen_s", std::max(0.0, chunk.ended_s - chunk.begun_s - chunk.cpu_s));
  text += chunk.is_duplicate ? R"(,"duplicate":true)" : R"(,"duplicate":false)";
  return text;
}

void add_computing(EventList& events, std::string_view word, const RankRows& rows) {
  for (const ChunkRecord* chunk : rows.chunks)
    events.bar(rows.computing, "computing", chunk_name(word, chunk->chunk), chunk->begun_s, chunk->ended_s,
               chunk_arguments(*chunk));
}

void add_travelling(EventList& events, std::string_view word, const RankRows& rows) {
  for (const Trip& trip : rows.trips)
    events.bar(rows.lanes[trip.lane], trip_name(trip.kind),
               fmt::format("{} {}", trip_name(trip.kind), chunk_name(word, trip.chunk->chunk)), trip.from_s,
               trip.to_s, "");
}

void add_load(EventList& events, const RankRows& rows) {
  events.name_row(rows.load_row, fmt::format("rank {} load", rows.rank->rank));
  for (const LoadPhase& phase : rows.load->phases)
    events.bar(rows.load_row, "load", fmt::format("load {:g} %", 100 * phase.share), phase.from_s, phase.to_s,
               fmt::format(R"("share":{})", phase.share));
}

/// The run as a whole and the shared input's way, on a row of their own in the master's group.
void add_run(EventList& events, const RunRecord& record, const TraceRow& row) {
  events.name_row(row, "the run");
  events.bar(row, "run", escaped(fmt::format("{} {}", record.app, record.scheduler)), 0, record.makespan_s,
             fmt::format(R"("workers":{},"iterations":{})", record.workers, record.iterations));
  if (record.shared_input_s > 0)
    events.bar(row, "shared input", "shared input", 0, record.shared_input_s, "");
}

void add_rank(EventList& events, std::string_view word, const RankRows& rows) {
  const std::string name =
      fmt::format("rank {} ({}) {}", rows.rank->rank, role_name(rows.rank->role), rows.rank->host);
  events.name_row(rows.computing, name);
  for (const TraceRow& lane : rows.lanes)
    events.name_row(lane, fmt::format("rank {} on the way", rows.rank->rank));
  if (rows.load != nullptr) add_load(events, rows);
  add_computing(events, word, rows);
  add_travelling(events, word, rows);
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
  events.end();
}

void write_trace(const RunRecord& record, const std::string& path) {
  replace_file(path, [&](const ByteSink& out) { write_trace_events(record, out); });
}

}  // namespace loadshare
