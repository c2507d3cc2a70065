#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "apps/loadshare/command.hpp"
#include "apps/loadshare/metrics.hpp"
#include "experiments/report/launch.hpp"

namespace loadshare::tool {
namespace {

class Report final : public Command {
 public:
  void describe(CLI::App& app) override {
    app.add_option("DIR", folders_, "folders that `loadshare sweep` wrote; several make one page")
        ->required();
    app.add_option("--out", out_, "the page; a CSV file goes beside it (default: report.html in the one DIR)")
        ->type_name("FILE.html");
    app.add_option("--claims", claims_, "claims to hold against the runs, as experiments/tr-97-14/claims.py")
        ->type_name("FILE.py");
    app.add_option("--predicted", predicted_,
                   "what loadshare compare DIR... --json wrote: drawn beside the runs")
        ->type_name("FILE.json");
    app.add_option("--title", title_, "of the page (default: the sweep's own)");
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
    arguments.emplace_back("--efficiencies");
    arguments.emplace_back("--");  // whatever a folder is called
    arguments.insert(arguments.end(), folders_.begin(), folders_.end());
    report::run_python(arguments, efficiencies_json(folders_));
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
