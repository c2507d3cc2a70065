#include "runtime/farm/job.hpp"

#include <nlohmann/json.hpp>

namespace loadshare {

std::string JobDescription::encode() const {
  return nlohmann::json{{"application", application_}, {"parameters", parameters_}}.dump();
}

JobDescription JobDescription::decode(const std::string& text) {
  const auto json = nlohmann::json::parse(text);
  JobDescription description(json.at("application").get<std::string>());
  json.at("parameters").get_to(description.parameters_);
  return description;
}

}  // namespace loadshare
