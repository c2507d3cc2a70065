#include "apps/loadshare/calibration/summary_json.hpp"

#include <algorithm>

#include "apps/loadshare/calibration/series_fields.hpp"
#include "apps/loadshare/calibration/summary.hpp"
#include "apps/loadshare/communication_model/model_json.hpp"

namespace loadshare::tool {
namespace {

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
                    {"kinds", ordered_json::array()}};
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

ordered_json collective_json(const CollectiveSummary& collective) {
  ordered_json json{{"ranks", collective.ranks}, {"call", collective.call}, {"sizes", ordered_json::array()}};
  for (const CollectiveSummary::Size& size : collective.sizes)
    json["sizes"].push_back({{"bytes", size.bytes}, {"calls", size.calls}, {"time", time_json(size.time)}});
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

}  // namespace

ordered_json summary_json(const Calibration& calibration, const std::vector<PairFit>& fits) {
  ordered_json json{{"schema", schema},
                    {"launches", ordered_json::array()},
                    {"pairs", ordered_json::array()},
                    {"collectives", ordered_json::array()},
                    {"chunks", ordered_json::array()}};
  for (const calibration::Launch& launch : calibration.launches)
    json["launches"].push_back(series_json(launch));
  for (const PairFit& fit : fits) json["pairs"].push_back(pair_json(calibration, fit));
  for (const CollectiveSummary& collective : collectives_of(calibration))
    json["collectives"].push_back(collective_json(collective));
  for (const ChunkRates& rates : chunk_rates_of(calibration)) json["chunks"].push_back(rates_json(rates));
  return json;
}

}  // namespace loadshare::tool
