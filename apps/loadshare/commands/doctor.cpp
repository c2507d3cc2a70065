#include "apps/loadshare/doctor.hpp"

#include <CLI/CLI.hpp>

#include "apps/loadshare/commands/commands.hpp"

namespace loadshare::tool {
namespace {

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
