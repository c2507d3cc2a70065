#include "apps/loadshare/doctor.hpp"

#include <nlohmann/json.hpp>

#include "apps/loadshare/diagnosis.hpp"
#include "apps/loadshare/surroundings.hpp"

namespace loadshare::tool {
namespace {

std::string json_of(const std::string& host, const std::vector<Finding>& findings) {
  nlohmann::ordered_json json{{"host", host}, {"findings", nlohmann::ordered_json::array()}};
  for (const Finding& finding : findings)
    json["findings"].push_back({{"level", finding.level == Level::ok ? "ok" : "warn"},
                                {"what", finding.what},
                                {"finding", finding.finding},
                                {"why", finding.why},
                                {"advice", finding.advice}});
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

/// One text for all, so that the reports of several hosts do not mix line by line.
std::string text_of(const std::string& host, const std::vector<Finding>& findings) {
  std::string text = host + "\n";
  for (const Finding& finding : findings) text += line_of(finding) + "\n";
  return text;
}

}  // namespace

ExitCode print_findings(const DoctorRequest& request) {
  const RankEnvironment ranks = rank_environment();
  if (ranks.local_rank != 0) {
    stay_to_be_seen();
    return ExitCode::good;
  }
  const Surroundings seen = look_around(ranks);
  const std::vector<Finding> findings = diagnose(seen);
  print(request.form == OutputForm::json ? json_of(seen.host, findings) : text_of(seen.host, findings));
  const bool fails = request.strictness == Strictness::warnings_fail && has_warning(findings);
  return fails ? ExitCode::run_failed : ExitCode::good;
}

}  // namespace loadshare::tool
