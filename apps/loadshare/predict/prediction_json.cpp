#include <nlohmann/json.hpp>

#include "apps/loadshare/predict/prediction_report.hpp"

namespace loadshare::tool {
namespace {

using nlohmann::ordered_json;
using predictor::HostModel;
using predictor::Prediction;

constexpr int prediction_file_schema = 1;

ordered_json host_json(const HostModel& host) {
  ordered_json json{{"name", host.name}, {"speed", host.speed}, {"available", host.available}};
  json["share"] = host.grant ? ordered_json(host.grant->share) : ordered_json(nullptr);
  json["link_bytes_per_s"] =
      host.link_bytes_per_s > 0 ? ordered_json(host.link_bytes_per_s) : ordered_json(nullptr);
  return json;
}

ordered_json setting_json(const Question& question) {
  const predictor::FarmSetting& setting = question.setting;
  ordered_json hosts = ordered_json::array();
  for (const HostModel& host : setting.hosts) hosts.push_back(host_json(host));
  return {{"program", question.program},
          {"iterations", question.model.iterations},
          {"iteration_name", question.iteration_name},
          {"iteration_s", question.model.loop.seconds_per_work},
          {"runs", question.runs},
          {"master", setting.master_works ? "works" : "coordinates"},
          {"master_rank", setting.master_rank},
          {"prefetch", setting.prefetch},
          {"reissue", setting.reissue == Reissue::on},
          {"load", setting.load ? ordered_json(setting.load->text) : ordered_json(nullptr)},
          {"messages", question.network_text},
          {"hosts", std::move(hosts)}};
}

ordered_json prediction_json(const Prediction& one) {
  return {{"scheduler", one.scheduler},
          {"makespan_s", one.makespan_s},
          {"low_s", one.low_s},
          {"high_s", one.high_s},
          {"busy", one.busy},
          {"idle", one.idle},
          {"messages", one.messages},
          {"bound", name_of(one.bound)},
          {"work_bound_s", one.bounds.work_s},
          {"network_bound_s", one.bounds.network_s},
          {"master_bound_s", one.bounds.master_s},
          {"makespans_s", one.makespans_s}};
}

ordered_json chunk_json(const ChunkRecord& chunk) {
  return {{"first", chunk.chunk.first},        {"size", chunk.chunk.size},
          {"worker", to_number(chunk.worker)}, {"assigned_s", chunk.assigned_s},
          {"received_s", chunk.received_s},    {"begun_s", chunk.begun_s},
          {"ended_s", chunk.ended_s},          {"returned_s", chunk.returned_s}};
}

ordered_json chunks_json(const std::vector<ChunkRecord>& chunks) {
  ordered_json json = ordered_json::array();
  for (const ChunkRecord& chunk : chunks) json.push_back(chunk_json(chunk));
  return json;
}

ordered_json choice_json(const FarmPrediction& all) {
  ordered_json level = ordered_json::array();
  for (const std::size_t i : all.choice.level) level.push_back(all.predictions[i].scheduler);
  return {{"scheduler", all.predictions[all.choice.chosen].scheduler},
          {"is_tie", all.choice.is_tie()},
          {"level", std::move(level)}};
}

ordered_json host_counts_json(const std::vector<HostCount>& counts) {
  ordered_json json = ordered_json::array();
  for (const HostCount& row : counts)
    json.push_back({{"hosts", row.hosts},
                    {"scheduler", row.scheduler},
                    {"makespan_s", row.makespan_s},
                    {"gain", row.gain}});
  return json;
}

}  // namespace

std::string farm_prediction_json(const Question& question, const FarmPrediction& prediction) {
  ordered_json json{{"schema", prediction_file_schema}, {"setting", setting_json(question)}};
  json["predictions"] = ordered_json::array();
  for (const Prediction& one : prediction.predictions) json["predictions"].push_back(prediction_json(one));
  json["choice"] = choice_json(prediction);
  json["host_counts"] = host_counts_json(prediction.host_counts);
  json["seconds"] = prediction.seconds;
  json["notes"] = question.notes;
  json["chunks"] = chunks_json(prediction.chunks);
  json["chunks_are_all"] = prediction.are_all_chunks;
  return json.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace loadshare::tool
