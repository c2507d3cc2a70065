#include "apps/loadshare/calibration/show.hpp"

#include <cstdio>

#include "apps/common/standard_output.hpp"
#include "apps/loadshare/calibration/calibration_text.hpp"
#include "apps/loadshare/calibration/file.hpp"
#include "apps/loadshare/calibration/summary_json.hpp"
#include "apps/loadshare/output.hpp"
#include "experiments/report/launch.hpp"

namespace loadshare::tool {

void show_calibration(const ShowRequest& request) {
  require_outputs(request.outputs, {request.file});
  const calibration::Calibration calibration = read_calibration(request.file);
  const std::string json =
      summary_json(calibration).dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
  show(request.outputs.json == "-" ? stderr : stdout, "the calibration", calibration_text(calibration));
  if (!request.outputs.json.empty()) write_json(request.outputs.json, json);
  finish_printing();
  if (!request.outputs.plot.empty()) report::run_python({"calibration-plot", request.outputs.plot}, json);
}

}  // namespace loadshare::tool
