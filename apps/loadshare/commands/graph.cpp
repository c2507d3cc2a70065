#include <CLI/CLI.hpp>
#include <functional>
#include <string>

#include "apps/loadshare/command.hpp"
#include "apps/loadshare/graph/evaluate.hpp"
#include "apps/loadshare/graph/predict.hpp"
#include "apps/loadshare/graph/show.hpp"

namespace loadshare::tool {
namespace {

constexpr const char* set_text = "parameters that get another value than the file gives them";

class Graph final : public Command {
 public:
  void describe(CLI::App& app) override {
    app.require_subcommand(1);
    describe_show(*app.add_subcommand("show", "Say what a timing graph consists of, and draw it"));
    describe_evaluate(*app.add_subcommand("evaluate", "Say what the program of a timing graph takes"));
    describe_predict(*app.add_subcommand(
        "predict", "Build a program's timing graph from profiles, and predict other sizes and ranks"));
  }

  ExitCode run() override { return action_(); }

 private:
  void describe_show(CLI::App& app) {
    app.add_option("FILE", show_.file, "the graph, a YAML file")->required();
    app.add_option("--set", show_.settings, set_text)->type_name("n=5,p=8");
    app.add_option("--svg", show_.svg, "draw it, with Graphviz")->type_name("FILE.svg");
    app.add_option("--dot", show_.dot, "write what Graphviz draws it from")->type_name("FILE.dot");
    app.add_option("--yaml", show_.yaml, "write it as YAML again, in one form")->type_name("FILE.yaml");
    app.callback([this] { action_ = [this] { return show_graph(show_); }; });
  }

  void describe_evaluate(CLI::App& app) {
    app.add_option("FILE", evaluate_.file, "the graph, a YAML file")->required();
    app.add_option("--set", evaluate_.settings, set_text)->type_name("n=5,p=8");
    describe_costs(app, evaluate_.costs);
    app.add_option("--json", evaluate_.json,
                   "write the prediction as JSON; with - to stdout, and nothing else there")
        ->type_name("FILE|-");
    app.callback([this] { action_ = [this] { return evaluate_graph(evaluate_); }; });
  }

  void describe_predict(CLI::App& app) {
    app.add_option("--from", predict_.runs,
                   "profiles of small runs of the program (loadshare profile), each behind its\n"
                   "parameters: --from n=65536:small.profile n=1048576:larger.profile")
        ->required()
        ->type_name("n=N:PROFILE");
    app.add_option("--at", predict_.settings,
                   "what to predict: --at n=33554432,p=8 n=33554432,p=16 (default: the runs'\n"
                   "own settings, to see how well they are met)")
        ->type_name("n=N,p=P");
    describe_costs(app, predict_.costs);
    app.add_option("--yaml", predict_.yaml, "write the program's graph, for show and evaluate")
        ->type_name("FILE.yaml");
    app.add_option("--json", predict_.json,
                   "write the prediction as JSON; with - to stdout, and nothing else there")
        ->type_name("FILE|-");
    app.callback([this] { action_ = [this] { return predict_program(predict_); }; });
  }

  static void describe_costs(CLI::App& app, CostsRequest& costs) {
    CLI::Option* line =
        app.add_option("--costs", costs.costs,
                       "what a message costs: a latency, a bandwidth, and the size from which a\n"
                       "standard send waits for its receive")
            ->type_name("COSTS")
            ->capture_default_str();
    app.add_option("--calibration", costs.calibration, "the same as it was measured, by loadshare calibrate")
        ->type_name("FILE")
        ->excludes(line);
    app.add_option("--fit", costs.fit, "of the calibration's times; see loadshare model fit --fit help")
        ->type_name("FIT")
        ->capture_default_str();
    app.add_option("--collectives", costs.collectives,
                   "collective calls: as measured, where the calibration has them, or as the\n"
                   "messages that Open MPI makes of them")
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
  return std::make_unique<Graph>();
}

}  // namespace loadshare::tool
