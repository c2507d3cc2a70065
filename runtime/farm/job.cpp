#include "runtime/farm/job.hpp"

#include <nlohmann/json.hpp>

namespace loadshare {

std::string JobDescription::encode() const {
  return nlohmann::json{{"application", application_}, {"parameters", parameters_}}.dump();
}

std::string JobDescription::identity() const {
  JobDescription lasting = *this;
  for (const std::string& name : measured_) lasting.parameters_.erase(name);
  return lasting.encode();
}

JobDescription JobDescription::decode(const std::string& text) {
  const auto json = nlohmann::json::parse(text);
  JobDescription description(json.at("application").get<std::string>());
  json.at("parameters").get_to(description.parameters_);
  return description;
}

}  // namespace loadshare
