#include "apps/loadshare/metrics/efficiencies.hpp"

#include "apps/loadshare/metrics/sources.hpp"
#include "apps/loadshare/metrics/study_json.hpp"
#include "schedulers/error.hpp"

namespace loadshare::tool {
namespace {

using nlohmann::ordered_json;

ordered_json efficiencies_of(const std::string& folder) {
  ordered_json json{{"folder", folder}, {"study", nullptr}, {"notes", ordered_json::array()}};
  try {
    const Study study = study_of({runs_of(folder)}, {});
    json["study"] = study_json(study);
    json["notes"] = study.notes;
  } catch (const UsageError& error) {  // what is wrong with the folder itself, the report says too
    json["notes"].push_back(error.what());
  }
  return json;
}

}  // namespace

std::string efficiencies_json(std::span<const std::string> folders) {
  ordered_json json{{"schema", metrics_schema}, {"folders", ordered_json::array()}};
  for (const std::string& folder : folders) json["folders"].push_back(efficiencies_of(folder));
  return json.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

}  // namespace loadshare::tool
