#include "apps/loadshare/commands/message_options.hpp"

#include <CLI/CLI.hpp>
#include <string>

namespace loadshare::tool {

void describe_messages(CLI::App& app, CostsRequest& costs, bool& has_costs) {
  costs.fit = "interpolated";
  CLI::Option* line =
      app.add_option("--costs", costs.costs, "what a message costs: a latency, a bandwidth, ...");
  line->type_name("COSTS")->capture_default_str();
  line->each([&has_costs](const std::string&) { has_costs = true; });
  app.add_option("--calibration", costs.calibration, "the same as measured, by loadshare calibrate")
      ->type_name("FILE")
      ->excludes(line);
  app.add_option("--fit", costs.fit, "of the calibration's times")->type_name("FIT")->capture_default_str();
}

}  // namespace loadshare::tool
