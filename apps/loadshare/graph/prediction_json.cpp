#include <nlohmann/json.hpp>

#include "apps/loadshare/graph/prediction.hpp"

namespace loadshare::tool {
namespace {

using nlohmann::ordered_json;

constexpr int schema = 1;

ordered_json ranks_json(const Prediction& prediction) {
  ordered_json ranks = ordered_json::array();
  for (std::size_t rank = 0; rank < prediction.matched.processes.size(); ++rank) {
    const timing_graph::ProcessTimes& times = prediction.matched.processes[rank];
    ranks.push_back({{"rank", rank},
                     {"computing_s", times.computing_s},
                     {"communicating_s", times.communicating_s},
                     {"idle_s", times.idle_s},
                     {"finish_s", times.finish_s},
                     {"sum_of_parts_s", prediction.sum.processes[rank].finish_s}});
  }
  return ranks;
}

ordered_json path_json(const Prediction& prediction) {
  ordered_json path = ordered_json::array();
  for (const PathShare& share : path_shares(prediction.matched)) {
    const timing_graph::Origin& origin = prediction.program.origins[share.origin];
    path.push_back({{"rank", share.process},
                    {"step", origin.name},
                    {"place", text_of(origin.place)},
                    {"seconds", share.seconds}});
  }
  return path;
}

}  // namespace

std::string prediction_json(const Prediction& prediction) {
  ordered_json parameters = ordered_json::object();
  for (const timing_graph::Setting& setting : prediction.settings) parameters[setting.name] = setting.value;
  const ordered_json json{{"schema", schema},
                          {"graph", prediction.name},
                          {"set", parameters},
                          {"costs", prediction.costs},
                          {"steps", prediction.program.ops.size()},
                          {"messages", prediction.matched.messages.size()},
                          {"makespan_s", prediction.matched.makespan_s},
                          {"t_exec_s", prediction.sum.t_exec_s},
                          {"ranks", ranks_json(prediction)},
                          {"critical_path", path_json(prediction)},
                          {"notes", prediction.matched.notes}};
  return json.dump(-1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace loadshare::tool
