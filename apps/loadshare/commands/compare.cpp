#include <CLI/CLI.hpp>

#include "apps/loadshare/command.hpp"
#include "apps/loadshare/commands/message_options.hpp"
#include "apps/loadshare/compare/compare.hpp"

namespace loadshare::tool {
namespace {

class Compare final : public Command {
 public:
  void describe(CLI::App& app) override {
    app.add_option("RUN", request_.runs, "sweeps' folders, or files of records")
        ->required()
        ->type_name("DIR|FILE");
    CLI::Option* from =
        app.add_option("--from", request_.from,
                       "records that the model is fitted to (each technique from the others of its setting)")
            ->type_name("FILE");
    app.add_option("--own", request_.own, "the experiment of the sweeps whose runs the model is fitted to")
        ->type_name("NAME")
        ->excludes(from);
    app.add_option("--hosts", request_.hosts,
                   "a lab's file, what loadshare survey wrote, or speeds (the runs')")
        ->type_name("HOSTS");
    app.add_flag("--at-run-speed", request_.is_at_run_speed,
                 "predict each run at the speed that its machine had just then, by its chunks' processor\n"
                 "time: the errors that are left are the model's");
    describe_messages(app, request_.costs, request_.has_costs);
    app.add_option("--plot", request_.outputs.plot, "draw predicted beside measured times")
        ->type_name("FILE.svg|.png");
    app.add_option("--json", request_.outputs.json,
                   "write it as JSON; with - to stdout, and nothing else there")
        ->type_name("FILE|-");
    app.add_flag("--strict", request_.is_strict, "a default where something is not known is an error");
  }

  ExitCode run() override { return compare_runs(request_); }

 private:
  CompareRequest request_;
};

}  // namespace

std::unique_ptr<Command> make_compare_command() {
  return std::make_unique<Compare>();
}

}  // namespace loadshare::tool
