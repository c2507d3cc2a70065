#include <CLI/CLI.hpp>

#include "apps/common/table_help.hpp"
#include "apps/loadshare/calibration/show.hpp"
#include "apps/loadshare/commands/commands.hpp"
#include "models/communication/fit.hpp"

namespace loadshare::tool {
namespace {

class CalibrationCommand final : public Command {
 public:
  void describe(CLI::App& app) override {
    app.require_subcommand(1);
    CLI::App& show = *app.add_subcommand("show", "Print a calibration, and draw it");
    show.add_option("FILE", request_.file, "what loadshare calibrate wrote")->required();
    show.add_option("--fit", request_.fit, table_help("of times over sizes:", communication::fits()))
        ->type_name("NAME")
        ->capture_default_str();
    show.add_option("--plot", request_.outputs.plot, "draw times over sizes")->type_name("FILE.svg|.png");
    show.add_option("--json", request_.outputs.json,
                    "write medians and ranges as JSON; with - to stdout, and nothing else there")
        ->type_name("FILE|-");
  }

  ExitCode run() override {
    show_calibration(request_);
    return ExitCode::good;
  }

 private:
  ShowRequest request_;
};

}  // namespace

std::unique_ptr<Command> make_calibration_command() {
  return std::make_unique<CalibrationCommand>();
}

}  // namespace loadshare::tool
