#include "apps/loadshare/graph/evaluate.hpp"

#include <algorithm>
#include <iterator>
#include <utility>
#include <variant>

#include "apps/common/own_files.hpp"
#include "apps/common/standard_output.hpp"
#include "apps/loadshare/graph/evaluation_report.hpp"
#include "apps/loadshare/graph/graph_file.hpp"
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

/// Whether some computing is known to take now longer, now shorter.
bool scatters(const timing_graph::Steps& steps) {
  return std::ranges::any_of(steps, [](const timing_graph::Step& step) {
    if (const auto* segment = std::get_if<timing_graph::Compute>(&step.action)) return segment->spread > 0;
    if (const auto* loop = std::get_if<timing_graph::Loop>(&step.action)) return scatters(loop->steps);
    if (const auto* branch = std::get_if<timing_graph::Branch>(&step.action))
      return scatters(branch->then) || scatters(branch->otherwise);
    return false;
  });
}

EvaluationReport evaluated(const timing_graph::Graph& graph, const GraphEvaluateRequest& request,
                           const KnownCosts& costs) {
  EvaluationReport report{graph.name, parse_settings(request.settings), costs.description, {}, {}, {}};
  report.program = expand(graph, report.settings, {.collectives = costs.collectives.get()});
  report.matched = evaluate(report.program, *costs.costs);
  if (std::string note = unmeasured_sizes(costs, report.matched.messages); !note.empty())
    report.matched.notes.push_back(std::move(note));
  std::ranges::copy(notes_on_calls(costs, report.program), std::back_inserter(report.matched.notes));
  if (std::ranges::any_of(graph.processes, scatters, &timing_graph::Process::steps))
    report.matched.notes.emplace_back(
        "every computing step takes its mean here: where it scatters, others wait for who is late, as graph "
        "predict draws it");
  report.sum = sum_of_parts(report.program, report.matched.messages, *costs.costs);
  return report;
}

}  // namespace

ExitCode evaluate_graph(const GraphEvaluateRequest& request) {
  require_outputs(request);
  const EvaluationReport report = evaluated(load_graph(request.file), request, message_costs(request.costs));
  show(request.json == "-" ? stderr : stdout, "the prediction", evaluation_text(report));
  if (!request.json.empty()) write_json(request.json, evaluation_json(report));
  return ExitCode::good;
}

}  // namespace loadshare::tool
