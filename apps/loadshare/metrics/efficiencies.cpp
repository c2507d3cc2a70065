#include "apps/loadshare/metrics/efficiencies.hpp"

#include "apps/loadshare/metrics/sources.hpp"
#include "apps/loadshare/metrics/study_json.hpp"
#include "schedulers/error.hpp"

namespace loadshare::tool {
namespace {

using nlohmann::ordered_json;

ordered_json study_or_null(const std::string& folder) {
  try {
    return study_json(study_of({runs_of(folder)}, {}));
  } catch (const UsageError&) {  // what is wrong with the folder itself, the report says
    return nullptr;
  }
}

}  // namespace

std::string efficiencies_json(std::span<const std::string> folders) {
  ordered_json json{{"schema", metrics_schema}, {"folders", ordered_json::array()}};
  for (const std::string& folder : folders)
    json["folders"].push_back({{"folder", folder}, {"study", study_or_null(folder)}});
  return json.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

}  // namespace loadshare::tool
