#include <nlohmann/json.hpp>

#include "apps/loadshare/graph/evaluation_report.hpp"

namespace loadshare::tool {
namespace {

using nlohmann::ordered_json;

constexpr int evaluation_schema = 1;

ordered_json ranks_json(const EvaluationReport& report) {
  ordered_json ranks = ordered_json::array();
  for (std::size_t rank = 0; rank < report.matched.processes.size(); ++rank) {
    const timing_graph::ProcessTimes& times = report.matched.processes[rank];
    ranks.push_back({{"rank", rank},
                     {"computing_s", times.computing_s},
                     {"communicating_s", times.communicating_s},
                     {"idle_s", times.idle_s},
                     {"finish_s", times.finish_s},
                     {"sum_of_parts_s", report.sum.processes[rank].finish_s}});
  }
  return ranks;
}

ordered_json path_json(const EvaluationReport& report) {
  ordered_json path = ordered_json::array();
  for (const PathShare& share : path_shares(report.matched)) {
    const timing_graph::Origin& origin = report.program.origins[share.origin];
    path.push_back({{"rank", share.process},
                    {"step", origin.name},
                    {"place", text_of(origin.place)},
                    {"seconds", share.seconds}});
  }
  return path;
}

}  // namespace

std::string evaluation_json(const EvaluationReport& report) {
  ordered_json parameters = ordered_json::object();
  for (const timing_graph::Setting& setting : report.settings) parameters[setting.name] = setting.value;
  const ordered_json json{{"schema", evaluation_schema},
                          {"graph", report.name},
                          {"set", parameters},
                          {"costs", report.costs},
                          {"steps", report.program.ops.size()},
                          {"messages", report.matched.messages.size()},
                          {"makespan_s", report.matched.makespan_s},
                          {"t_exec_s", report.sum.t_exec_s},
                          {"ranks", ranks_json(report)},
                          {"critical_path", path_json(report)},
                          {"notes", report.matched.notes}};
  return json.dump(-1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace loadshare::tool
