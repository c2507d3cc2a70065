#include "apps/loadshare/calibration/show.hpp"

#include <fmt/format.h>

#include <cstdio>

#include "apps/common/standard_output.hpp"
#include "apps/loadshare/calibration/calibration_text.hpp"
#include "apps/loadshare/calibration/file.hpp"
#include "apps/loadshare/calibration/pair_fit.hpp"
#include "apps/loadshare/calibration/summary_json.hpp"
#include "apps/loadshare/communication_model/model_text.hpp"
#include "apps/loadshare/output.hpp"
#include "experiments/report/launch.hpp"
#include "models/communication/fit.hpp"

namespace loadshare::tool {
namespace {

using calibration::Calibration;

std::string fits_text(const std::vector<PairFit>& fits) {
  std::string text;
  for (const PairFit& fit : fits) {
    text += fmt::format("\nrank {} to rank {}, ", fit.pair.sender, fit.pair.receiver);
    text += fit.model ? model_text(*fit.model) : fmt::format("no fit: {}\n", fit.why_not);
  }
  return text;
}

}  // namespace

void show_calibration(const ShowRequest& request) {
  require_outputs(request.outputs, {request.file});
  communication::find_fit(request.fit);  // before a file of megabytes is read
  const Calibration calibration = read_calibration(request.file);
  const std::vector<PairFit> fits = fit_pairs(calibration, request.fit);
  const std::string json =
      summary_json(calibration, fits).dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) +
      "\n";
  show(request.outputs.json == "-" ? stderr : stdout, "the calibration",
       calibration_text(calibration) + fits_text(fits));
  if (!request.outputs.json.empty()) write_json(request.outputs.json, json);
  finish_printing();
  if (!request.outputs.plot.empty()) report::run_python({"calibration-plot", request.outputs.plot}, json);
}

}  // namespace loadshare::tool
