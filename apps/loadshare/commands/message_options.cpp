#include "apps/loadshare/commands/message_options.hpp"

#include <CLI/CLI.hpp>

namespace loadshare::tool {

CLI::Option* describe_messages(CLI::App& app, CostsRequest& costs) {
  costs.fit = "interpolated";
  CLI::Option* line =
      app.add_option("--costs", costs.costs, "what a message costs: a latency, a bandwidth, ...")
          ->type_name("COSTS")
          ->capture_default_str();
  app.add_option("--calibration", costs.calibration, "the same as measured, by loadshare calibrate")
      ->type_name("FILE")
      ->excludes(line);
  app.add_option("--fit", costs.fit, "of the calibration's times")->type_name("FIT")->capture_default_str();
  return line;
}

}  // namespace loadshare::tool
