#include "apps/loadshare/command.hpp"
#include "apps/loadshare/output.hpp"
#include "schedulers/table.hpp"

namespace loadshare::tool {
namespace {

class Schedulers final : public Command {
 public:
  void describe(CLI::App&) override {}
  ExitCode run() override {
    print(built_in_schedulers().help());
    return ExitCode::good;
  }
};

}  // namespace

std::unique_ptr<Command> make_schedulers_command() {
  return std::make_unique<Schedulers>();
}

}  // namespace loadshare::tool
