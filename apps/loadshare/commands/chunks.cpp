#include "apps/loadshare/chunks.hpp"

#include <CLI/CLI.hpp>
#include <limits>

#include "apps/common/whole_number.hpp"
#include "apps/loadshare/commands/commands.hpp"

namespace loadshare::tool {
namespace {

class Chunks final : public Command {
 public:
  void describe(CLI::App& app) override {
    app.add_option("SPEC", spec_, "the scheduler, as `loadshare schedulers` lists them: gss:14")->required();
    app.add_option("--iterations", iterations_, "iterations of the loop")->required()->type_name("N");
    app.add_option("--workers", workers_, "workers that ask in turn, all of one speed")
        ->required()
        ->type_name("P");
    app.add_flag("--json", json_, "print one JSON object instead of one size a line");
  }

  ExitCode run() override {
    constexpr Index most_workers = std::numeric_limits<std::uint32_t>::max();
    const LoopShape shape{whole_number("--iterations", iterations_, 0),
                          whole_number("--workers", workers_, 1, most_workers)};
    print_chunks({spec_, shape, json_ ? OutputForm::json : OutputForm::text}, built_in_schedulers());
    return ExitCode::good;
  }

 private:
  std::string spec_;
  std::string iterations_;
  std::string workers_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_chunks_command() {
  return std::make_unique<Chunks>();
}

}  // namespace loadshare::tool
