#include "apps/loadshare/graph/evaluate.hpp"

#include <utility>

#include "apps/common/own_files.hpp"
#include "apps/common/standard_output.hpp"
#include "apps/loadshare/graph/graph_file.hpp"
#include "apps/loadshare/graph/prediction.hpp"
#include "apps/loadshare/graph/show.hpp"
#include "apps/loadshare/output.hpp"
#include "runtime/timing/output_path.hpp"

namespace loadshare::tool {
namespace {

void require_outputs(const GraphEvaluateRequest& request) {
  if (request.json.empty() || request.json == "-") return;
  require_own_files({{"FILE", request.file}, {"--calibration", request.costs.calibration}},
                    {{"--json", request.json}});
  require_writable(request.json, "the JSON");
}

Prediction predict(const timing_graph::Graph& graph, const GraphEvaluateRequest& request,
                   const KnownCosts& costs) {
  Prediction prediction{graph.name, parse_settings(request.settings), costs.description, {}, {}, {}};
  prediction.program = expand(graph, prediction.settings);
  prediction.matched = evaluate(prediction.program, *costs.costs);
  prediction.sum = sum_of_parts(prediction.program, prediction.matched.messages, *costs.costs);
  return prediction;
}

}  // namespace

ExitCode evaluate_graph(const GraphEvaluateRequest& request) {
  require_outputs(request);
  const Prediction prediction = predict(load_graph(request.file), request, message_costs(request.costs));
  show(request.json == "-" ? stderr : stdout, "the prediction", prediction_text(prediction));
  if (!request.json.empty()) write_json(request.json, prediction_json(prediction));
  return ExitCode::good;
}

}  // namespace loadshare::tool
