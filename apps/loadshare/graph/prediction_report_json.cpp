#include <nlohmann/json.hpp>

#include "apps/loadshare/graph/prediction_report.hpp"

namespace loadshare::tool {
namespace {

using nlohmann::ordered_json;

constexpr int prediction_schema = 1;

std::vector<std::string> all_notes(const reconstruction::Prediction& said) {
  std::vector<std::string> notes = said.notes;
  notes.insert(notes.end(), said.mean.notes.begin(), said.mean.notes.end());
  return notes;
}

ordered_json point_json(const PredictedPoint& point) {
  const reconstruction::Prediction& said = point.prediction;
  ordered_json json{{"at", point.setting},
                    {"predicted_s", said.seconds},
                    {"low_s", said.interval ? ordered_json(said.interval->low_s) : ordered_json(nullptr)},
                    {"high_s", said.interval ? ordered_json(said.interval->high_s) : ordered_json(nullptr)},
                    {"replicates", said.replicates},
                    {"makespan_s", said.mean.makespan_s},
                    {"t_exec_s", said.seed_sum.t_exec_s},
                    {"extrapolated", said.extrapolations},
                    {"notes", all_notes(said)}};
  json["measured_s"] = point.measured_s ? ordered_json(*point.measured_s) : ordered_json(nullptr);
  return json;
}

ordered_json times_json(const PredictionReport& report) {
  ordered_json times = ordered_json::array();
  for (const reconstruction::PartialTime& time : report.rebuilt.times)
    times.push_back(
        {{"label", time.label},
         {"seconds", time.law.text()},
         {"error", time.law.fit().error ? ordered_json(*time.law.fit().error) : ordered_json(nullptr)},
         {"settings", time.law.fit().settings},
         {"share", time.share}});
  return times;
}

}  // namespace

std::string prediction_report_json(const PredictionReport& report) {
  ordered_json points = ordered_json::array();
  for (const PredictedPoint& point : report.points) points.push_back(point_json(point));
  const ordered_json json{{"schema", prediction_schema},
                          {"program", report.program},
                          {"costs", report.costs},
                          {"points", points},
                          {"partial_times", times_json(report)},
                          {"notes", report.notes}};
  return json.dump(-1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace loadshare::tool
