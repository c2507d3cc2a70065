#include "apps/loadshare/graph/evaluate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>
#include <variant>

#include "apps/loadshare/graph/graph_file.hpp"
#include "apps/loadshare/graph/show.hpp"
#include "apps/loadshare/output.hpp"
#include "apps/loadshare/wording.hpp"
#include "base/io/files.hpp"
#include "base/io/text.hpp"

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

using timing_graph::ProcessTimes;
using Cells = std::vector<std::string>;

constexpr std::size_t most_ranks_shown = 32;
constexpr std::size_t shown_at_each_end = 12;
constexpr std::size_t most_shares_shown = 8;

std::string title(const EvaluationReport& report) {
  std::string text = report.name;
  for (const timing_graph::Setting& setting : report.settings)
    text += fmt::format("{} {} = {}", setting.name == report.settings.front().name ? ":" : ",", setting.name,
                        setting.value);
  return text + fmt::format("; messages cost {}", report.costs);
}

std::string makespans(const EvaluationReport& report) {
  return fmt::format(
      "makespan  {:>10}  messages matched: a receive waits for its send\n"
      "T_exec    {:>10}  max over the processes of the sum of their parts\n",
      duration_text(report.matched.makespan_s), duration_text(report.sum.t_exec_s));
}

Cells rank_cells(const EvaluationReport& report, std::size_t rank) {
  const ProcessTimes& times = report.matched.processes[rank];
  return {fmt::format("{}", rank),
          duration_text(times.computing_s),
          duration_text(times.communicating_s),
          duration_text(times.idle_s),
          duration_text(times.finish_s),
          duration_text(report.sum.processes[rank].finish_s)};
}

std::string ranks_table(const EvaluationReport& report) {
  std::vector<Cells> rows{{"rank", "computing", "communicating", "idle", "finish", "sum of parts"}};
  const std::size_t count = report.matched.processes.size();
  for (std::size_t rank = 0; rank < count; ++rank) {
    const bool is_left_out =
        count > most_ranks_shown && rank >= shown_at_each_end && rank < count - shown_at_each_end;
    if (!is_left_out)
      rows.push_back(rank_cells(report, rank));
    else if (rank == shown_at_each_end)
      rows.push_back({"...", fmt::format("{} more", count - 2 * shown_at_each_end), "", "", "", ""});
  }
  return table_text(rows);
}

/// One step on the critical path, whoever makes it.
struct StepShare {
  std::uint32_t origin = 0;
  double seconds = 0;
  int ranks = 0;
};

std::vector<StepShare> step_shares(const EvaluationReport& report) {
  std::map<std::uint32_t, StepShare> sums;
  for (const PathShare& share : path_shares(report.matched)) {
    StepShare& sum = sums[share.origin];
    sum = {share.origin, sum.seconds + share.seconds, sum.ranks + 1};
  }
  std::vector<StepShare> shares;
  for (const auto& [origin, share] : sums) shares.push_back(share);
  std::ranges::stable_sort(shares, std::ranges::greater{}, &StepShare::seconds);
  return shares;
}

Cells step_cells(const EvaluationReport& report, const StepShare& share) {
  const timing_graph::Origin& origin = report.program.origins[share.origin];
  return {origin.name, text_of(origin.place), fmt::format("{}", share.ranks), duration_text(share.seconds),
          percent_text(share.seconds / report.matched.makespan_s)};
}

std::string path_table(const EvaluationReport& report) {
  const std::vector<StepShare> shares = step_shares(report);
  if (shares.empty()) return "";
  const std::size_t shown = std::min(shares.size(), most_shares_shown);
  std::vector<Cells> rows{{"step", "place", "on ranks", "time", "share"}};
  for (std::size_t i = 0; i < shown; ++i) rows.push_back(step_cells(report, shares[i]));
  const std::string rest =
      shown == shares.size() ? "" : fmt::format("... and {} more\n", shares.size() - shown);
  return "\non the critical path\n" + table_text(rows, 2) + rest;
}

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

std::vector<PathShare> path_shares(const timing_graph::Evaluation& evaluation) {
  std::map<std::pair<std::int32_t, std::uint32_t>, double> sums_s;
  for (const timing_graph::PathPart& part : evaluation.critical_path)
    sums_s[{part.process, part.origin}] += part.end_s - part.begin_s;
  std::vector<PathShare> shares;
  for (const auto& [who, seconds] : sums_s) shares.push_back({who.first, who.second, seconds});
  std::ranges::stable_sort(shares, std::ranges::greater{}, &PathShare::seconds);
  return shares;
}

std::string evaluation_text(const EvaluationReport& report) {
  return title(report) + "\n\n" + makespans(report) + "\n" + ranks_table(report) + path_table(report) +
         notes_text(report.matched.notes);
}

ExitCode evaluate_graph(const GraphEvaluateRequest& request) {
  require_outputs(request);
  const EvaluationReport report = evaluated(load_graph(request.file), request, message_costs(request.costs));
  show(request.json == "-" ? stderr : stdout, "the prediction", evaluation_text(report));
  if (!request.json.empty()) write_json(request.json, evaluation_json(report));
  return ExitCode::good;
}

}  // namespace loadshare::tool
