#include "apps/loadshare/calibration_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <set>
#include <span>
#include <vector>

#include "apps/loadshare/calibration_file.hpp"
#include "apps/loadshare/calibration_series.hpp"
#include "apps/loadshare/calibration_summary.hpp"
#include "apps/loadshare/fitted_model.hpp"
#include "apps/loadshare/output.hpp"
#include "base/io/files.hpp"
#include "base/io/text.hpp"
#include "base/quantities.hpp"
#include "models/messages/fit.hpp"

namespace loadshare::tool {
namespace {

using Rows = std::vector<std::vector<std::string>>;
using calibration::Calibration;
using calibration::Pair;
using nlohmann::ordered_json;

constexpr int schema = 1;

ordered_json time_json(const TimeSummary& time) {
  return {{"median_s", time.median_s}, {"low_s", time.low_s}, {"high_s", time.high_s}};
}

ordered_json kind_json(const KindSummary& kind) {
  ordered_json sizes = ordered_json::array();
  for (const KindSummary::Size& size : kind.sizes)
    sizes.push_back({{"bytes", size.bytes},
                     {"messages", size.messages},
                     {"waited", size.waited_share},
                     {"sender", time_json(size.sender)},
                     {"receiver", time_json(size.receiver)}});
  return {{"mode", name_of(kind.mode)}, {"posted", name_of(kind.posted)}, {"sizes", std::move(sizes)}};
}

/// Points of each segment, near enough for axes of logarithms, on which a line is curved; at a jump one
/// segment ends above where the next begins.
ordered_json lines_json(const communication::Curve& curve) {
  constexpr double step = 1.25;
  ordered_json lines = ordered_json::array();
  const auto segments = curve.segments();
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const communication::Segment& segment = segments[i];
    const double end = i + 1 < segments.size() ? segments[i + 1].first_size : segment.last_size;
    if (end <= curve.first_size() && i + 1 < segments.size()) continue;
    const auto point = [&segment](double size) {
      return ordered_json{size, segment.c_s * size + segment.k_s};
    };
    ordered_json line = ordered_json::array();
    for (double size = std::max(segment.first_size, curve.first_size()); size < end;
         size = std::max(1.0, size * step))
      line.push_back(point(size));
    line.push_back(point(end));
    lines.push_back(std::move(line));
  }
  return lines;
}

ordered_json lines_of(const FittedModel& model, const KindSummary& kind) {
  ordered_json lines = ordered_json::object();
  for (const FittedGroup& group : model.groups)
    if (group.names[0] == name_of(kind.mode) && group.names[2] == name_of(kind.posted))
      lines[group.names[1]] = lines_json(group.curve);
  return lines;
}

ordered_json pair_json(const Calibration& calibration, const PairFit& fit) {
  const Pair& pair = fit.pair;
  const std::vector<KindSummary> kinds = kinds_of(calibration, pair);
  const auto threshold = threshold_of(kinds);
  ordered_json json{{"sender", pair.sender},
                    {"receiver", pair.receiver},
                    {"shares_host", share_host(calibration, pair)},
                    {"round_trip_s", round_trip_s(calibration, pair)},
                    {"waits_from_bytes", threshold ? ordered_json(threshold->second) : ordered_json(nullptr)},
                    {"gaps", ordered_json::array()},
                    {"kinds", ordered_json::array()}};
  for (const auto& [bytes, gap_s] : gap_medians_s(calibration, pair))
    json["gaps"].push_back({{"bytes", bytes}, {"seconds", gap_s}});
  json["fit"] = fit.model ? ordered_json(fit.model->fit) : ordered_json(nullptr);
  json["curves"] = ordered_json::array();
  if (fit.model)
    for (const FittedGroup& group : fit.model->groups) json["curves"].push_back(group_json(group));
  for (const KindSummary& kind : kinds) {
    json["kinds"].push_back(kind_json(kind));
    if (fit.model) json["kinds"].back()["lines"] = lines_of(*fit.model, kind);
  }
  return json;
}

ordered_json by_rank_json(const std::vector<communication::MemberTime>& by_rank) {
  ordered_json ranks = ordered_json::array();
  for (const communication::MemberTime& rank : by_rank)
    ranks.push_back({{"awaited", rank.awaited},
                     {"after_own_s", rank.after_own.seconds},
                     {"after_awaited_s", rank.after_awaited.seconds}});
  return ranks;
}

ordered_json call_json(const CallSummary& call) {
  ordered_json json{{"ranks", call.ranks}, {"call", call.call}, {"sizes", ordered_json::array()}};
  for (const CallSummary::Size& size : call.sizes) {
    ordered_json& added =
        json["sizes"].emplace_back(ordered_json{{"bytes", size.bytes}, {"calls", size.calls}});
    if (size.by_rank.empty())
      added["time"] = time_json(size.time);
    else
      added["by_rank"] = by_rank_json(size.by_rank);
  }
  return json;
}

ordered_json rates_json(const ChunkRates& rates) {
  ordered_json json{{"rank", rates.rank},
                    {"kernel", rates.kernel},
                    {"size", rates.size},
                    {"chunks", ordered_json::array()}};
  for (const ChunkSummary& chunk : rates.chunks)
    json["chunks"].push_back(
        {{"columns", chunk.columns}, {"median_s", chunk.median_s}, {"gflops", chunk.operations_per_s / 1e9}});
  return json;
}

/// What `calibration show --json` writes, and what draws it reads: launches, and of each pair and kind the
/// medians and ranges by size, and the lines of its fit, where it has one. The fit's segments are here and
/// not in the calibration itself, which keeps what was measured: a launch more, or a better fit, would leave
/// them behind.
ordered_json summary_json(const Calibration& calibration, const std::vector<PairFit>& fits) {
  ordered_json json{{"schema", schema},
                    {"launches", ordered_json::array()},
                    {"pairs", ordered_json::array()},
                    {"collectives", ordered_json::array()},
                    {"rooted_calls", ordered_json::array()},
                    {"chunks", ordered_json::array()}};
  for (const calibration::Launch& launch : calibration.launches)
    json["launches"].push_back(series_json(launch));
  for (const PairFit& fit : fits) json["pairs"].push_back(pair_json(calibration, fit));
  for (const CallSummary& call : collectives_of(calibration)) json["collectives"].push_back(call_json(call));
  for (const CallSummary& call : rooted_calls_of(calibration))
    json["rooted_calls"].push_back(call_json(call));
  for (const ChunkRates& rates : chunk_rates_of(calibration)) json["chunks"].push_back(rates_json(rates));
  return json;
}

constexpr std::array shown_bytes{0.0, 64.0, 1024.0, 16384.0, 262144.0, 4194304.0};

/// Three digits of the unit that suits: a message takes from nanoseconds to seconds.
std::string time_cell(double seconds) {
  if (seconds < 0.9995e-6) return fmt::format("{:.0f} ns", seconds * 1e9);
  return duration_text(seconds);
}

std::string bytes_text(Index bytes) {
  return human_bytes(static_cast<Bytes>(bytes));
}

std::string settings_text(const std::map<std::string, std::string>& settings) {
  std::vector<std::string> texts;
  for (const auto& [name, value] : settings) texts.push_back(fmt::format("{} {}", name, value));
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::string line(const std::string& label, const std::string& text) {
  constexpr int label_width = 13;
  return fmt::format("  {:<{}}", label, label_width - 2) +
         wrapped(text, metrics_width - label_width, label_width) + "\n";
}

std::string launch_text(const calibration::Launch& launch, std::size_t number) {
  std::string text = fmt::format("launch {}   {}, {}, seed {}\n", number, launch.begun,
                                 duration_text(launch.seconds), launch.seed);
  for (const calibration::RankPlace& rank : launch.ranks)
    text += line(fmt::format("rank {}", rank.rank),
                 fmt::format("{}, processor{} {}", rank.host, rank.cpus.size() == 1 ? "" : "s",
                             fmt::join(rank.cpus, " ")));
  text += line("transport", settings_text(launch.transport));
  text += line("versions", settings_text(launch.versions));
  return text + line("clock", fmt::format("{} per reading, subtracted from the times of messages",
                                          time_cell(launch.clock_s)));
}

/// The nearest to each of those that are shown.
std::vector<Index> shown_among(const std::vector<Index>& sizes) {
  std::set<Index> shown;
  for (const double wanted : shown_bytes)
    if (!sizes.empty())
      shown.insert(*std::ranges::min_element(sizes, {}, [wanted](Index bytes) {
        return std::abs(std::log2((static_cast<double>(bytes) + 1) / (wanted + 1)));
      }));
  return {shown.begin(), shown.end()};
}

/// Of the sizes that all kinds have.
std::vector<Index> shown_sizes(const std::vector<KindSummary>& kinds) {
  std::vector<Index> common;
  for (const KindSummary::Size& size : kinds.front().sizes)
    if (std::ranges::all_of(kinds, [&](const KindSummary& kind) {
          return std::ranges::find(kind.sizes, size.bytes, &KindSummary::Size::bytes) != kind.sizes.end();
        }))
      common.push_back(size.bytes);
  return shown_among(common);
}

std::vector<std::string> side_row(const KindSummary& kind, communication::Side side,
                                  const std::vector<Index>& shown) {
  std::vector<std::string> row{"  " + name_of(kind.mode), name_of(kind.posted), name_of(side)};
  for (const Index bytes : shown) {
    const auto& size = *std::ranges::find(kind.sizes, bytes, &KindSummary::Size::bytes);
    row.push_back(time_cell((side == communication::Side::sender ? size.sender : size.receiver).median_s));
  }
  return row;
}

std::string kinds_text(const std::vector<KindSummary>& kinds) {
  const std::vector<Index> shown = shown_sizes(kinds);
  Rows rows{{"  mode", "posted", "side"}};
  for (const Index bytes : shown) rows.front().push_back(bytes_text(bytes));
  for (const KindSummary& kind : kinds)
    for (const auto side : {communication::Side::sender, communication::Side::receiver})
      rows.push_back(side_row(kind, side, shown));
  return table_text(rows, 3);
}

std::string threshold_text(const std::vector<KindSummary>& kinds) {
  const auto threshold = threshold_of(kinds);
  if (!threshold) return {};
  return fmt::format("  standard sends of {} bytes or more wait for a late receive (sends of {} do not)\n",
                     grouped_text(threshold->second), grouped_text(threshold->first));
}

std::string gaps_text(const Calibration& calibration, const Pair& pair) {
  std::vector<std::string> texts;
  for (const auto& [bytes, gap_s] : gap_medians_s(calibration, pair))
    texts.push_back(fmt::format("{} of {}", time_cell(gap_s), bytes_text(bytes)));
  if (texts.empty()) return {};
  return "  " +
         wrapped(fmt::format("in bursts, one message every {}", fmt::join(texts, ", ")), metrics_width - 2,
                 4) +
         "\n";
}

std::string pair_text(const Calibration& calibration, const Pair& pair) {
  const std::vector<KindSummary> kinds = kinds_of(calibration, pair);
  std::size_t messages = 0, series = 0, least = SIZE_MAX;
  Index smallest = kinds.front().sizes.front().bytes, largest = 0;
  for (const KindSummary& kind : kinds) {
    messages += kind.messages();
    series += kind.sizes.size();
    smallest = std::min(smallest, kind.sizes.front().bytes);
    largest = std::max(largest, kind.sizes.back().bytes);
    for (const KindSummary::Size& size : kind.sizes) least = std::min(least, size.messages);
  }
  return fmt::format("\nrank {} to rank {}, {}: {} messages of {} to {}\n", pair.sender, pair.receiver,
                     share_host(calibration, pair) ? "on one host" : "between hosts",
                     grouped_text(static_cast<Index>(messages)), bytes_text(smallest), bytes_text(largest)) +
         fmt::format("  {} kinds and sizes, at least {} of each; an empty round trip takes {}\n", series,
                     count_text(static_cast<Index>(least), "message", "messages"),
                     time_cell(round_trip_s(calibration, pair))) +
         threshold_text(kinds) + gaps_text(calibration, pair) + "  median times:\n" + kinds_text(kinds);
}

using Calls = std::span<const CallSummary>;

/// Of all sizes that some call has.
std::vector<Index> shown_sizes(Calls calls) {
  std::set<Index> sizes;
  for (const CallSummary& call : calls)
    for (const CallSummary::Size& size : call.sizes) sizes.insert(size.bytes);
  return shown_among({sizes.begin(), sizes.end()});
}

/// A row of what `seconds_of` says of the sizes that are shown; the call need not have all of them.
std::vector<std::string> call_row(std::vector<std::string> names, const CallSummary& call,
                                  const std::vector<Index>& shown,
                                  double (*seconds_of)(const CallSummary::Size&)) {
  for (const Index bytes : shown) {
    const auto size = std::ranges::find(call.sizes, bytes, &CallSummary::Size::bytes);
    names.push_back(size == call.sizes.end() ? "-" : time_cell(seconds_of(*size)));
  }
  return names;
}

/// Calls of one number of ranks.
std::string collectives_text(Calls calls) {
  const std::vector<Index> shown = shown_sizes(calls);
  Rows rows{{"  call"}};
  for (const Index bytes : shown) rows.front().push_back(bytes_text(bytes));
  for (const CallSummary& call : calls)
    rows.push_back(call_row({"  " + call.call}, call, shown,
                            [](const CallSummary::Size& size) { return size.time.median_s; }));
  return fmt::format(
             "\n"
             "{} ranks together, from the last rank's start of a call to the last rank's end, medians:\n",
             calls.front().ranks) +
         table_text(rows, 1);
}

double longest_s(std::span<const communication::MemberTime> ranks) {
  double seconds = 0;
  for (const communication::MemberTime& rank : ranks)
    seconds = std::max({seconds, rank.after_own.seconds, rank.after_awaited.seconds});
  return seconds;
}

/// Calls of one number of ranks; the root first, then the last of the others.
std::string rooted_text(Calls calls) {
  const std::vector<Index> shown = shown_sizes(calls);
  Rows rows{{"  call", "rank"}};
  for (const Index bytes : shown) rows.front().push_back(bytes_text(bytes));
  for (const CallSummary& call : calls) {
    rows.push_back(call_row({"  " + call.call, "root"}, call, shown, [](const CallSummary::Size& size) {
      return longest_s(std::span(size.by_rank).first(1));
    }));
    rows.push_back(call_row({"", "others"}, call, shown, [](const CallSummary::Size& size) {
      return longest_s(std::span(size.by_rank).subspan(1));
    }));
  }
  return fmt::format(
             "\n"
             "{} ranks together, from the start of the last rank that a rank waits for to its own end, "
             "longest:\n",
             calls.front().ranks) +
         table_text(rows, 2);
}

/// The texts of the calls of each number of ranks.
std::string by_ranks(const std::vector<CallSummary>& all, std::string (*text_of)(Calls)) {
  std::string text;
  for (auto first = all.begin(); first != all.end();) {
    const auto behind =
        std::find_if(first, all.end(), [&](const CallSummary& call) { return call.ranks != first->ranks; });
    text += text_of({first, behind});
    first = behind;
  }
  return text;
}

std::string chunks_text(const ChunkRates& rates) {
  Rows rows{{"  columns"}, {"  time"}, {"  GFLOP/s"}};
  for (const ChunkSummary& chunk : rates.chunks) {
    if (!std::has_single_bit(static_cast<std::uint64_t>(chunk.columns))) continue;
    rows[0].push_back(std::to_string(chunk.columns));
    rows[1].push_back(time_cell(chunk.median_s));
    rows[2].push_back(fmt::format("{:.1f}", chunk.operations_per_s / 1e9));
  }
  return fmt::format("\nrank {}, chunks of a {} x {} product, {} kernel\n", rates.rank, rates.size,
                     rates.size, rates.kernel) +
         table_text(rows, 1);
}

std::string fits_text(const std::vector<PairFit>& fits) {
  std::string text;
  for (const PairFit& fit : fits) {
    text += fmt::format("\nrank {} to rank {}, ", fit.pair.sender, fit.pair.receiver);
    text += fit.model ? model_text(*fit.model) : fmt::format("no fit: {}\n", fit.why_not);
  }
  return text;
}

}  // namespace

std::string calibration_text(const Calibration& calibration) {
  std::string text;
  for (std::size_t i = 0; i < calibration.launches.size(); ++i)
    text += launch_text(calibration.launches[i], i + 1);
  for (const Pair& pair : pairs_of(calibration)) text += pair_text(calibration, pair);
  text += by_ranks(collectives_of(calibration), collectives_text);
  text += by_ranks(rooted_calls_of(calibration), rooted_text);
  for (const ChunkRates& rates : chunk_rates_of(calibration)) text += chunks_text(rates);
  return text;
}

void show_calibration(const ShowRequest& request) {
  require_outputs(request.outputs, {request.file});
  communication::find_fit(request.fit);  // before a file of megabytes is read
  const Calibration calibration = read_calibration(request.file);
  const std::vector<PairFit> fits = fit_pairs(calibration, request.fit);
  answer(request.outputs, "the calibration", calibration_text(calibration) + fits_text(fits),
         file_text(summary_json(calibration, fits), 2), "calibration-plot");
}

}  // namespace loadshare::tool
