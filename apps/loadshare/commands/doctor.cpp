#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "apps/loadshare/command.hpp"
#include "apps/loadshare/diagnosis.hpp"
#include "apps/loadshare/output.hpp"
#include "apps/loadshare/surroundings.hpp"
#include "base/error.hpp"

namespace loadshare::tool {
namespace {

enum class Strictness { advice_only, warnings_fail };

/// `loadshare doctor`: what would make runs slow here.
struct DoctorRequest {
  OutputForm form = OutputForm::text;
  Strictness strictness = Strictness::advice_only;
};

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

/// Looks around and prints the findings. Under mpirun the first rank of each host speaks for its host, the
/// others only stay long enough to be looked at. With Strictness::warnings_fail a warning is run_failed.
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

class Doctor final : public Command {
 public:
  void describe(CLI::App& app) override {
    app.add_flag("--json", json_, "print one JSON object");
    app.add_flag("--strict", strict_, "exit with 1 when there is a warning");
  }

  ExitCode run() override {
    return print_findings({json_ ? OutputForm::json : OutputForm::text,
                           strict_ ? Strictness::warnings_fail : Strictness::advice_only});
  }

 private:
  bool json_ = false;
  bool strict_ = false;
};

}  // namespace

std::unique_ptr<Command> make_doctor_command() {
  return std::make_unique<Doctor>();
}

}  // namespace loadshare::tool
