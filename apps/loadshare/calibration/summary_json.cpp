#include "apps/loadshare/calibration/summary_json.hpp"

#include "apps/loadshare/calibration/pair_fit.hpp"
#include "apps/loadshare/calibration/series_fields.hpp"
#include "apps/loadshare/calibration/summary.hpp"

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

/// The two ends of each segment, as points: one above the other where the line jumps.
ordered_json lines_json(const communication::Curve& curve) {
  ordered_json lines = ordered_json::array();
  const auto segments = curve.segments();
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const communication::Segment& segment = segments[i];
    const double end = i + 1 < segments.size() ? segments[i + 1].first_size : segment.last_size;
    const auto point = [&segment](double size) {
      return ordered_json{size, segment.c_s * size + segment.k_s};
    };
    lines.push_back({point(segment.first_size), point(end)});
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

ordered_json pair_json(const Calibration& calibration, const Pair& pair, const std::string& fit) {
  const PairFit fitted = fit_pair(calibration, pair, fit);
  const std::vector<KindSummary> kinds = kinds_of(calibration, pair);
  const auto threshold = threshold_of(kinds);
  ordered_json json{{"sender", pair.sender},
                    {"receiver", pair.receiver},
                    {"shares_host", share_host(calibration, pair)},
                    {"round_trip_s", round_trip_s(calibration, pair)},
                    {"waits_from_bytes", threshold ? ordered_json(threshold->second) : ordered_json(nullptr)},
                    {"kinds", ordered_json::array()}};
  for (const KindSummary& kind : kinds) {
    json["kinds"].push_back(kind_json(kind));
    if (fitted.model) json["kinds"].back()["lines"] = lines_of(*fitted.model, kind);
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

}  // namespace

ordered_json summary_json(const Calibration& calibration, const std::string& fit) {
  ordered_json json{{"schema", schema},
                    {"fit", fit},
                    {"launches", ordered_json::array()},
                    {"pairs", ordered_json::array()},
                    {"chunks", ordered_json::array()}};
  for (const calibration::Launch& launch : calibration.launches)
    json["launches"].push_back(series_json(launch));
  for (const Pair& pair : pairs_of(calibration)) json["pairs"].push_back(pair_json(calibration, pair, fit));
  for (const ChunkRates& rates : chunk_rates_of(calibration)) json["chunks"].push_back(rates_json(rates));
  return json;
}

}  // namespace loadshare::tool
