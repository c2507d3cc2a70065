#include <CLI/CLI.hpp>
#include <functional>

#include "apps/loadshare/calibration/check.hpp"
#include "apps/loadshare/calibration/show.hpp"
#include "apps/loadshare/command.hpp"
#include "base/names.hpp"
#include "base/quantities.hpp"
#include "models/messages/fit.hpp"

namespace loadshare::tool {
namespace {

class CalibrationCommand final : public Command {
 public:
  void describe(CLI::App& app) override {
    app.require_subcommand(1);
    describe_show(*app.add_subcommand("show", "Print a calibration, and draw it"));
    describe_check(
        *app.add_subcommand("check", "Say how well one calibration predicts another launch's times"));
  }

  ExitCode run() override {
    action_();
    return ExitCode::good;
  }

 private:
  void describe_show(CLI::App& show) {
    show.add_option("FILE", request_.file, "what loadshare calibrate wrote")->required();
    show.add_option("--fit", request_.fit, table_help("of times over sizes:", communication::fits()))
        ->type_name("NAME")
        ->capture_default_str();
    show.add_option("--plot", request_.outputs.plot, "draw times over sizes")->type_name("FILE.svg|.png");
    show.add_option("--json", request_.outputs.json,
                    "write medians and ranges as JSON; with - to stdout, and nothing else there")
        ->type_name("FILE|-");
    show.callback([this] { action_ = [this] { show_calibration(request_); }; });
  }

  void describe_check(CLI::App& check) {
    check.add_option("FITTED", check_.fitted, "the calibration that predicts")->required();
    check.add_option("MEASURED", check_.measured, "of the same ranks, in another launch, with other sizes")
        ->required();
    check.add_option("--fit", check_.fit, table_help("of times over sizes:", communication::fits()))
        ->type_name("NAME")
        ->capture_default_str();
    check.add_option("--min-bytes", least_, "of the sizes that are looked at")
        ->type_name("BYTES")
        ->capture_default_str();
    check.add_option("--max-bytes", most_, "of them")->type_name("BYTES")->capture_default_str();
    check
        .add_option("--json", check_.json,
                    "write every time as JSON; with - to stdout, and nothing else there")
        ->type_name("FILE|-");
    check.callback([this] {
      action_ = [this] {
        check_.least_bytes = whole_number("--min-bytes", least_, 0);
        check_.most_bytes = whole_number("--max-bytes", most_, check_.least_bytes);
        check_calibration(check_);
      };
    });
  }

  std::function<void()> action_;
  ShowRequest request_;
  CheckRequest check_;
  std::string least_ = "64";
  std::string most_ = "4194304";
};

}  // namespace

std::unique_ptr<Command> make_calibration_command() {
  return std::make_unique<CalibrationCommand>();
}

}  // namespace loadshare::tool
