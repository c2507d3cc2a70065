#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "apps/loadshare/command.hpp"
#include "apps/loadshare/survey/survey.hpp"
#include "base/error.hpp"
#include "base/quantities.hpp"

namespace loadshare::tool {
namespace {

constexpr double least_seconds = 0.1;  // some turns of a rank that is granted a tenth of a processor
constexpr double most_seconds = 60;

double parse_seconds(const std::string& text) {
  const double seconds = positive_number("--seconds", text);
  if (seconds < least_seconds || seconds > most_seconds)
    throw UsageError(fmt::format("--seconds is {}", text),
                     fmt::format("from {} to {}", least_seconds, most_seconds));
  return seconds;
}

class Survey final : public Command {
 public:
  void describe(CLI::App& app) override {
    app.add_option("--seconds", seconds_, "for which all ranks compute at the same time, in all")
        ->type_name("S")
        ->capture_default_str();
    app.add_option("--out", out_, "keep the survey, for loadshare predict")->type_name("FILE");
    app.add_option("--json", json_, "the same; with - to stdout, and nothing else there")
        ->type_name("FILE|-");
    app.footer(
        "Every rank says what its processor computes per second of processor time, what a control group\n"
        "grants of it, and what other programs leave of that now; without mpirun, this host's one:\n"
        "  mpirun -q -np 2 loadshare survey --out hosts.json");
  }

  ExitCode run() override {
    survey_hosts({parse_seconds(seconds_), out_, json_});
    return ExitCode::good;
  }

 private:
  std::string seconds_ = "1";
  std::string out_;
  std::string json_;
};

}  // namespace

std::unique_ptr<Command> make_survey_command() {
  return std::make_unique<Survey>();
}

}  // namespace loadshare::tool
