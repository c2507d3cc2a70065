#include "runtime/farm/job.hpp"

#include <nlohmann/json.hpp>

#include "base/io/text.hpp"
#include "base/quantities.hpp"

namespace loadshare {

std::string JobDescription::encode() const {
  return nlohmann::json{{"application", application_}, {"parameters", parameters_}}.dump();
}

std::map<std::string, std::string> JobDescription::lasting() const {
  std::map<std::string, std::string> lasting = parameters_;
  for (const std::string& name : measured_) lasting.erase(name);
  return lasting;
}

std::string JobDescription::identity() const {
  JobDescription described(application_);
  described.parameters_ = lasting();
  return described.encode();
}

JobDescription JobDescription::decode(const std::string& text) try {
  const auto json = nlohmann::json::parse(text);
  JobDescription description(json.at("application").get<std::string>());
  json.at("parameters").get_to(description.parameters_);
  return description;
} catch (const nlohmann::json::exception& error) {
  throw unreadable(error.what());
}

Error JobDescription::unreadable(const std::string& why) {
  return {ExitCode::run_failed, "the master's description of the job cannot be read", printable(why),
          "start the same program on both sides"};
}

Index JobDescription::whole(const std::string& name) const {
  if (const std::optional<Index> number = parse_integer(text(name))) return *number;
  throw unreadable(name + " is '" + text(name) + "'");
}

}  // namespace loadshare
