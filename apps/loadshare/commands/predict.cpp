#include <CLI/CLI.hpp>
#include <string>

#include "apps/loadshare/command.hpp"
#include "apps/loadshare/commands/message_options.hpp"
#include "apps/loadshare/predict/predict.hpp"

namespace loadshare::tool {
namespace {

class Predict final : public Command {
 public:
  void describe(CLI::App& app) override {
    describe_loop(app);
    describe_hosts(app);
    describe_messages(app, request_.question.costs, request_.question.has_costs);
    const auto add = [&app](const char* name, auto& word, const char* type, const char* text) {
      return app.add_option(name, word, text)->type_name(type);
    };
    add("--scheduler", request_.schedulers, "SPEC", "techniques to predict (those worth trying)");
    add("--replicates", request_.replicates, "N", "runs of each, with other phases and deviations")
        ->capture_default_str();
    add("--plot", request_.outputs.plot, "FILE.svg|.png", "draw the best technique's run as a Gantt chart");
    add("--json", request_.outputs.json, "FILE|-",
        "write it as JSON; with - to stdout, and nothing else there");
    app.add_flag("--strict", request_.question.is_strict,
                 "a default where something is not known is an error");
  }

  ExitCode run() override { return predict_farm(request_); }

 private:
  void describe_loop(CLI::App& app) {
    QuestionRequest& loop = request_.question;
    const auto add = [&app](const char* name, std::string& word, const char* type, const char* text) {
      return app.add_option(name, word, text)->type_name(type);
    };
    app.add_option("RUN", loop.runs, "records of runs of the loop (--json), or sweeps' folders")
        ->type_name("FILE");
    add("--iterations", loop.iterations, "N", "of a loop by hand, or another number than was run");
    add("--cost", loop.cost, "TIME", "of an iteration by hand, on a processor of speed 1: 1ms");
    add("--input-bytes", loop.input_bytes, "N", "an iteration by hand")->capture_default_str();
    add("--result-bytes", loop.result_bytes, "N", "ditto")->capture_default_str();
    add("--shared-bytes", loop.shared_bytes, "N", "that every host needs, by hand")->capture_default_str();
  }

  void describe_hosts(CLI::App& app) {
    QuestionRequest& hosts = request_.question;
    const auto add = [&app](const char* name, std::string& word, const char* type, const char* text) {
      return app.add_option(name, word, text)->type_name(type);
    };
    add("--hosts", hosts.hosts, "HOSTS",
        "a lab's file, what loadshare survey wrote, or speeds: 6x0.1,3x0.3 (the last run's)");
    add("--master", hosts.master, "MODE", "works, or only coordinates");
    add("--master-rank", hosts.master_rank, "RANK", "the place of the master among the hosts");
    add("--prefetch", hosts.prefetch, "N", "chunks queued at a worker beyond the one it computes");
    add("--load", hosts.load, "SPEC", "a background load, as a farm application takes it, or none");
    app.add_flag("--how-many", request_.asks_how_many,
                 "also by the number of hosts: the first ones of the list, the master's in any case");
    app.add_flag("--reissue", hosts.reissue, "at the tail, give unfinished chunks again to idle workers");
  }

  FarmPredictRequest request_;
};

}  // namespace

std::unique_ptr<Command> make_predict_command() {
  return std::make_unique<Predict>();
}

}  // namespace loadshare::tool
