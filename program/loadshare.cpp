#include "program/loadshare.hpp"

#include <filesystem>
#include <optional>
#include <utility>

#include "program/farm_command_line.hpp"
#include "program/loop_watch.hpp"
#include "runtime/farm/program.hpp"

namespace loadshare {

namespace {

struct OwnOptions : RunOptions {
  std::string name;
};

/// Tells of every loop of a program of somebody's own.
class LoopTeller final : public FarmObserver {
 public:
  explicit LoopTeller(const OwnOptions& options) : options_(options), watch_(options) {}

  void begins(Workload& workload) override {
    watch_.open(options_.name, std::string(workload.iteration_name()));
  }
  RunControls controls(Workload& workload) override { return watch_.controls(workload); }
  void ended(RunRecord& record) override {
    watch_.ended(record);
    record.app = options_.name;
    watch_.report().tell(record);
  }

 private:
  const OwnOptions& options_;
  LoopWatch watch_;
};

/// A farm while a body has it. Who keeps a reference and uses it afterwards finds one that is over.
class Lending final {
 public:
  explicit Lending(Farm farm) { place().emplace(std::move(farm)); }
  ~Lending() { const Farm over = std::move(farm()); }
  Lending(const Lending&) = delete;
  Lending& operator=(const Lending&) = delete;

  Farm& farm() { return *place(); }

 private:
  static std::optional<Farm>& place() {
    static std::optional<Farm> farm;
    return farm;
  }
};

std::optional<OwnOptions> read_command_line(int argc, char** argv, const Program& program) {
  OwnOptions options;
  options.has_own_output = true;
  options.name = std::filesystem::path(argv[0]).filename().string();
  options.forecast = std::make_shared<RunForecast>(program.schedulers);
  CommandLineParser parser(options.name, farm_purpose(program.purpose.c_str(), options.name.c_str()));
  if (program.options) parser.add_own(program.options);
  add_run_options(parser, options);
  if (!parser.parse(argc, argv)) return std::nullopt;
  return options;
}

}  // namespace

int run(int argc, char** argv, const std::function<void(Farm&)>& body, const Program& program) {
  return run_program([&] {
    static bool was_called = false;
    if (std::exchange(was_called, true))
      throw UsageError("loadshare::run was called again", "MPI begins and ends once in a process",
                       "run all loops in one body");
    const auto options = read_command_line(argc, argv, program);
    if (!options) return ExitCode::good;
    Lending lending(make_farm(*options));
    lending.farm().set_observer(std::make_shared<LoopTeller>(*options));
    try {
      body(lending.farm());
    } catch (const UsageError& error) {  // of this rank alone, so it ends the others
      throw Error(error.code(), error.text());
    }
    return ExitCode::good;
  });
}

}  // namespace loadshare
