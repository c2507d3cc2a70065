#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "apps/loadshare/command.hpp"
#include "apps/loadshare/judgements.hpp"
#include "apps/loadshare/metrics.hpp"
#include "apps/loadshare/output.hpp"
#include "base/error.hpp"
#include "base/paired_test.hpp"
#include "experiments/report/launch.hpp"
#include "experiments/sweep/verdict.hpp"

namespace loadshare::tool {
namespace {

using nlohmann::ordered_json;

ordered_json verdict_json(const sweep::Verdict& verdict) {
  ordered_json json{{"setting", verdict.setting},
                    {"is_compared", verdict.is_compared},
                    {"baseline", verdict.baseline},
                    {"sentence", verdict.sentence()}};
  json["values"] = ordered_json::array();
  for (const sweep::JudgedValue& value : verdict.values)
    json["values"].push_back({{"name", value.name},
                              {"point", value.point},
                              {"runs", value.runs},
                              {"mean_s", value.mean_s},
                              {"deviation_s", value.deviation_s},
                              {"over_fastest", ratio_json(value.over_fastest)},
                              {"over_baseline", ratio_json(value.over_baseline)}});
  return json;
}

/// The verdicts of a folder, as `sweep` prints them; none where it cannot be read: the page's program says
/// why.
ordered_json verdicts_json(const std::string& folder) {
  ordered_json experiments = ordered_json::object();
  try {
    for (const sweep::MeasuredExperiment& experiment : sweep::read_results(folder)) {
      ordered_json& json = experiments[experiment.name];
      json = {{"along", experiment.along},
              {"equal_within", experiment.equal_within},
              {"doubts", doubts_about(experiment)}};
      json["verdicts"] = ordered_json::array();
      for (const sweep::Verdict& verdict : verdicts_of(experiment))
        json["verdicts"].push_back(verdict_json(verdict));
    }
  } catch (const Error&) {
    return nullptr;
  }
  return experiments;
}

/// By number of pairs; null where no claims are judged.
ordered_json signed_rank_law_json(bool has_claims) {
  ordered_json json;
  for (std::size_t count = 0; has_claims && count <= most_ranked; ++count)
    json.push_back(signed_rank_law(count));
  return json;
}

/// What the page shows and its program does not compute.
std::string computed_json(const std::vector<std::string>& folders, bool has_claims) {
  ordered_json verdicts = ordered_json::array();
  for (const std::string& folder : folders)
    verdicts.push_back({{"folder", folder}, {"experiments", verdicts_json(folder)}});
  return fmt::format(R"({{"verdicts": {}, "efficiencies": {}, "signed_rank_law": {}}})", file_text(verdicts),
                     efficiencies_json(folders), file_text(signed_rank_law_json(has_claims)));
}

class Report final : public Command {
 public:
  void describe(CLI::App& app) override {
    app.add_option("DIR", folders_, "folders that `loadshare sweep` wrote; several make one page")
        ->required();
    app.add_option("--out", out_,
                   "the page; its CSV file is written next to it (default: report.html in the one DIR)")
        ->type_name("FILE.html");
    app.add_option("--claims", claims_, "claims to check against the runs, as experiments/tr-97-14/claims.py")
        ->type_name("FILE.py");
    app.add_option("--predicted", predicted_,
                   "predictions to draw with the runs, written by loadshare compare DIR... --json")
        ->type_name("FILE.json");
    app.add_option("--title", title_, "title of the page (default: the sweep's own)");
  }

  ExitCode run() override {
    std::vector<std::string> arguments;
    const auto add = [&arguments](const char* option, const std::optional<std::string>& value) {
      if (value) arguments.push_back(std::string(option) + "=" + *value);
    };
    add("--out", out_);
    add("--claims", claims_);
    add("--predicted", predicted_);
    add("--title", title_);
    arguments.emplace_back("--computed");
    arguments.emplace_back("--");  // whatever a folder is called
    arguments.insert(arguments.end(), folders_.begin(), folders_.end());
    report::run_python(arguments, computed_json(folders_, claims_.has_value()));
  }

 private:
  std::vector<std::string> folders_;
  std::optional<std::string> out_;
  std::optional<std::string> claims_;
  std::optional<std::string> predicted_;
  std::optional<std::string> title_;
};

}  // namespace

std::unique_ptr<Command> make_report_command() {
  return std::make_unique<Report>();
}

}  // namespace loadshare::tool
