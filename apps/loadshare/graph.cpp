#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>

#include "apps/loadshare/command.hpp"
#include "apps/loadshare/costs.hpp"
#include "apps/loadshare/graph_drawing.hpp"
#include "apps/loadshare/graph_file.hpp"
#include "apps/loadshare/graph_text.hpp"
#include "apps/loadshare/graph_yaml.hpp"
#include "apps/loadshare/output.hpp"
#include "base/io/files.hpp"
#include "base/io/text.hpp"
#include "base/quantities.hpp"
#include "models/program/reconstruction/prediction.hpp"
#include "runtime/records/reading.hpp"

namespace loadshare::tool {
namespace {

struct GraphShowRequest {
  std::string file;
  std::string settings;  ///< `n=5,p=8`
  std::string dot;       ///< files; empty: not asked for
  std::string svg;
  std::string yaml;
};

/// `n=5,p=8` of --set.
std::vector<timing_graph::Setting> parse_settings(const std::string& text) {
  std::vector<timing_graph::Setting> settings;
  for (const Assignment& given : parse_assignments("--set", text))
    settings.push_back({given.name, number("--set " + given.name, given.value)});
  return settings;
}

void write(const std::string& path, const std::string& text) {
  if (!path.empty()) replace_file(path, text);
}

void require_outputs(const GraphShowRequest& request) {
  loadshare::require_outputs({{"FILE", request.file}}, {{"--dot", request.dot, "the DOT file"},
                                                        {"--svg", request.svg, "the drawing"},
                                                        {"--yaml", request.yaml, "the graph"}});
  require_ending("--svg", request.svg, {".svg"});
  if (!request.svg.empty()) require_dot();
}

/// Prints what a graph consists of, and draws it.
ExitCode show_graph(const GraphShowRequest& request) {
  require_outputs(request);
  const timing_graph::Graph graph = load_graph(request.file);
  const std::vector<timing_graph::Setting> settings = parse_settings(request.settings);
  const MessageEdges found = find_message_edges(graph, settings);
  const std::string dot = graph_dot(graph, found);
  write(request.dot, dot);
  if (!request.svg.empty()) write(request.svg, svg_of_dot(dot));
  write(request.yaml, graph_yaml(graph));
  print(graph_text(graph, settings, found));
  return ExitCode::good;
}

struct GraphEvaluateRequest {
  std::string file;
  std::string settings;  ///< `n=5,p=8`
  CostsRequest costs;
  std::string json;  ///< a file, - for stdout, empty: not asked for
};

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

std::vector<double> sizes_of(const std::vector<timing_graph::MatchedMessage>& messages) {
  std::vector<double> bytes;
  for (const timing_graph::MatchedMessage& message : messages) bytes.push_back(message.bytes);
  return bytes;
}

EvaluationReport evaluated(const timing_graph::Graph& graph, const GraphEvaluateRequest& request,
                           const KnownCosts& costs) {
  EvaluationReport report{graph.name, parse_settings(request.settings), costs.description, {}, {}, {}};
  report.program = expand(graph, report.settings, {.collectives = costs.collectives.get()});
  report.matched = evaluate(report.program, *costs.costs);
  if (std::string note = unmeasured_sizes(costs, sizes_of(report.matched.messages)); !note.empty())
    report.matched.notes.push_back(std::move(note));
  std::ranges::copy(notes_on_calls(costs, report.program), std::back_inserter(report.matched.notes));
  if (std::ranges::any_of(graph.processes, scatters, &timing_graph::Process::steps))
    report.matched.notes.emplace_back(
        "every computing step takes its mean time here; graph predict also simulates how steps vary and "
        "ranks wait for late ones");
  report.sum = sum_of_parts(report.program, report.matched.messages, *costs.costs);
  return report;
}

/// Prints what a graph's program takes at one n and p, by the paper's sum and with its messages matched.
ExitCode evaluate_graph(const GraphEvaluateRequest& request) {
  loadshare::require_outputs({{"FILE", request.file}, {"--calibration", request.costs.calibration}},
                             {{"--json", request.json, "the JSON"}});
  const EvaluationReport report = evaluated(load_graph(request.file), request, message_costs(request.costs));
  answer(request.json, "the prediction", evaluation_text(report), evaluation_json(report));
  return ExitCode::good;
}

struct GraphPredictRequest {
  std::vector<std::string> runs;      ///< `n=65536:run.profile`
  std::vector<std::string> settings;  ///< `n=33554432,p=8`; none: those of the runs
  bool takes_three = false;           ///< values of a parameter for a choice of laws, not five
  CostsRequest costs;
  std::string yaml;  ///< a file for the graph; empty: not asked for
  std::string json;  ///< a file, - for stdout, empty: not asked for
};

void require_outputs(const GraphPredictRequest& request) {
  std::vector<NamedFile> read;
  for (const std::string& word : request.runs) read.push_back({"--from", file_of_run(word)});
  if (!request.costs.calibration.empty()) read.push_back({"--calibration", request.costs.calibration});
  loadshare::require_outputs(read,
                             {{"--yaml", request.yaml, "the graph"}, {"--json", request.json, "the JSON"}});
}

std::vector<SourceRun> read_runs(const std::vector<std::string>& words) {
  std::vector<SourceRun> runs;
  std::vector<std::string> files;
  for (const std::string& word : words) {
    runs.push_back(read_source_run(word));
    files.push_back(file_of_run(word));
    if (runs.back().program != runs.front().program)
      throw UsageError(fmt::format("{} is of {}, {} of {}", runs.front().run.name, runs.front().program,
                                   runs.back().run.name, runs.back().program),
                       "a graph is built from runs of one program");
  }
  require_each_once(files);
  return runs;
}

std::vector<reconstruction::ProfiledRun> plain(const std::vector<SourceRun>& sources) {
  std::vector<reconstruction::ProfiledRun> runs;
  for (const SourceRun& source : sources) runs.push_back(source.run);
  return runs;
}

/// A setting that is asked for: every parameter of the runs has a value, and no other.
scaling::Setting parse_wanted(const std::string& text, const scaling::Setting& known) {
  scaling::Setting wanted;
  for (const Assignment& given : parse_assignments("--at", text)) {
    if (!known.contains(given.name))
      throw UsageError(fmt::format("--at has '{}'", given.name), "no run has a parameter of that name",
                       fmt::format("give it with every run: --from {}=...:FILE", given.name));
    wanted[given.name] = number("--at", given.value);
    if (wanted[given.name] <= 0)
      throw UsageError(fmt::format("--at has '{}={}'", given.name, given.value),
                       "parameters must be positive");
  }
  for (const auto& [name, value] : known)
    if (!wanted.contains(name))
      throw UsageError(fmt::format("--at is '{}'", text), fmt::format("it has no value for {}", name));
  return wanted;
}

std::vector<scaling::Setting> wanted_settings(const GraphPredictRequest& request,
                                              const std::vector<SourceRun>& runs) {
  std::vector<scaling::Setting> wanted;
  for (const std::string& text : request.settings)
    wanted.push_back(parse_wanted(text, runs.front().run.setting));
  if (!wanted.empty()) return wanted;
  std::set<scaling::Setting> all;
  for (const SourceRun& source : runs) all.insert(source.run.setting);
  return {all.begin(), all.end()};
}

/// What the runs of that setting took, on the average; nothing where there is none.
std::optional<double> measured_s(const scaling::Setting& setting, const std::vector<SourceRun>& runs) {
  double sum_s = 0;
  int count = 0;
  for (const SourceRun& source : runs) {
    if (source.run.setting != setting) continue;
    sum_s += source.run.makespan_s;
    ++count;
  }
  return count > 0 ? std::optional(sum_s / count) : std::nullopt;
}

bool are_on_one_host(const std::vector<SourceRun>& runs) {
  std::set<std::string> hosts;
  for (const SourceRun& source : runs) hosts.insert(source.place.hosts.begin(), source.place.hosts.end());
  return hosts.size() == 1;
}

/// What messages cost if nobody says it: as where the runs were.
CostsRequest costs_of(const GraphPredictRequest& request, const std::vector<SourceRun>& runs,
                      std::vector<std::string>& guesses) {
  CostsRequest costs = request.costs;
  const bool is_one = are_on_one_host(runs);
  if (is_one) costs.lie = calibration::Spread::one_host;
  if (!costs.calibration.empty() || costs.costs != ethernet_costs) return costs;
  if (is_one) costs.costs = memory_costs;
  guesses.push_back(
      fmt::format("assuming that messages cost as much as {}; give --calibration or --costs",
                  is_one ? "in the memory of one host, as in the runs" : "on Ethernet of 100 Mbit/s"));
  return costs;
}

PredictionReport predicted(const GraphPredictRequest& request, const std::vector<SourceRun>& runs) {
  PredictionReport all;
  const KnownCosts costs = message_costs(costs_of(request, runs, all.guesses));
  all.program = runs.front().program;
  all.costs = costs.description;
  std::ranges::copy(notes_on_setup(costs, runs), std::back_inserter(all.notes));
  all.rebuilt = reconstruction::reconstruct(
      plain(runs), request.takes_three ? scaling::LeastValues::three : scaling::LeastValues::five);
  all.rebuilt.graph.name = all.program;
  all.guesses.insert(all.guesses.end(), all.rebuilt.guesses.begin(), all.rebuilt.guesses.end());
  all.notes.insert(all.notes.end(), all.rebuilt.notes.begin(), all.rebuilt.notes.end());
  for (const scaling::Setting& setting : wanted_settings(request, runs)) {
    PredictedPoint& point = all.points.emplace_back();
    point.setting = setting;
    point.measured_s = measured_s(setting, runs);
    point.prediction = reconstruction::predict(
        all.rebuilt, setting, *costs.costs,
        {.costs_uncertainty = costs.uncertainty, .collectives = costs.collectives.get()});
    if (std::string sizes = unmeasured_sizes(costs, sizes_of(point.prediction.mean.messages)); !sizes.empty())
      point.prediction.notes.push_back(std::move(sizes));
    std::ranges::copy(notes_on_calls(costs, point.prediction.program),
                      std::back_inserter(point.prediction.notes));
  }
  return all;
}

/// Builds a program's timing graph from profiles of small runs, and says what it will take at other sizes and
/// numbers of ranks.
ExitCode predict_program(const GraphPredictRequest& request) {
  require_outputs(request);
  const PredictionReport all = predicted(request, read_runs(request.runs));
  if (!request.yaml.empty()) replace_file(request.yaml, graph_yaml(all.rebuilt.graph));
  answer(request.json, "the prediction", prediction_report_text(all), prediction_report_json(all));
  return ExitCode::good;
}

constexpr const char* set_text = "parameter values that replace those of the file";

class GraphCommand final : public Command {
 public:
  void describe(CLI::App& app) override {
    app.require_subcommand(1);
    describe_show(*app.add_subcommand("show", "Show the steps and messages of a timing graph, and draw it"));
    describe_evaluate(*app.add_subcommand("evaluate", "Predict the run time of a timing graph's program"));
    describe_predict(*app.add_subcommand(
        "predict",
        "Build a program's timing graph from profiles, and predict other sizes and numbers of ranks"));
  }

  ExitCode run() override { return action_(); }

 private:
  void describe_show(CLI::App& app) {
    app.add_option("FILE", show_.file, "the graph, a YAML file")->required();
    app.add_option("--set", show_.settings, set_text)->type_name("n=5,p=8");
    app.add_option("--svg", show_.svg, "draw it, with Graphviz")->type_name("FILE.svg");
    app.add_option("--dot", show_.dot, "write the input of Graphviz")->type_name("FILE.dot");
    app.add_option("--yaml", show_.yaml, "write it as YAML in a standard form")->type_name("FILE.yaml");
    app.callback([this] { action_ = [this] { return show_graph(show_); }; });
  }

  void describe_evaluate(CLI::App& app) {
    app.add_option("FILE", evaluate_.file, "the graph, a YAML file")->required();
    app.add_option("--set", evaluate_.settings, set_text)->type_name("n=5,p=8");
    describe_costs(app, evaluate_.costs);
    app.add_option("--json", evaluate_.json,
                   "write the prediction as JSON; - writes only the JSON, to stdout")
        ->type_name("FILE|-");
    app.callback([this] { action_ = [this] { return evaluate_graph(evaluate_); }; });
  }

  void describe_predict(CLI::App& app) {
    app.add_option("--from", predict_.runs,
                   "profiles of small runs of the program (loadshare profile), each after its\n"
                   "parameters: --from n=65536:small.profile n=1048576:larger.profile")
        ->required()
        ->type_name("n=N:PROFILE");
    app.add_option("--at", predict_.settings,
                   "what to predict: --at n=33554432,p=8 n=33554432,p=16 (default: the runs'\n"
                   "own settings, to check the fit)")
        ->type_name("n=N,p=P");
    app.add_flag("--three-values", predict_.takes_three,
                 "fit laws to three or more values of a parameter, instead of five or more");
    describe_costs(app, predict_.costs);
    app.add_option("--yaml", predict_.yaml, "write the program's graph, for show and evaluate")
        ->type_name("FILE.yaml");
    app.add_option("--json", predict_.json, "write the prediction as JSON; - writes only the JSON, to stdout")
        ->type_name("FILE|-");
    app.callback([this] { action_ = [this] { return predict_program(predict_); }; });
  }

  static void describe_costs(CLI::App& app, CostsRequest& costs) {
    CLI::Option* line =
        app.add_option("--costs", costs.costs,
                       "cost of a message: latency, bandwidth, and the size from which a standard\n"
                       "send waits for its receive")
            ->type_name("COSTS")
            ->capture_default_str();
    app.add_option("--calibration", costs.calibration, "measured costs, from loadshare calibrate")
        ->type_name("FILE")
        ->excludes(line);
    app.add_option("--fit", costs.fit,
                   "how the calibration's times are fitted; see loadshare model fit --fit help")
        ->type_name("FIT")
        ->capture_default_str();
    app.add_option("--collectives", costs.collectives,
                   "cost of collective calls: as measured, if the calibration has them, or as\n"
                   "the messages that Open MPI sends for them")
        ->check(CLI::IsMember({"measured", "messages"}))
        ->capture_default_str();
  }

  std::function<ExitCode()> action_;
  GraphPredictRequest predict_;
  GraphShowRequest show_;
  GraphEvaluateRequest evaluate_;
};

}  // namespace

std::unique_ptr<Command> make_graph_command() {
  return std::make_unique<GraphCommand>();
}

}  // namespace loadshare::tool
