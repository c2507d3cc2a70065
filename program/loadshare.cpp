#include "program/loadshare.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

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

  void described(const JobDescription& job) override { watch_.described(job); }
  void begins(Workload& workload) override {
    watch_.open(options_.name, std::string(workload.iteration_name()));
  }
  RunControls controls(Workload& workload) override { return watch_.controls(workload); }
  void ended(RunRecord& record) override {
    watch_.ended(record);
    record.app = options_.name;
    watch_.tell(record);
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

/// Whose the program's own options are, where processes of other machines join it.
enum class OwnWords { told_here, told_by_master };

std::optional<OwnOptions> read_command_line(const std::vector<const char*>& words, const Program& program,
                                            OwnWords own) {
  OwnOptions options;
  options.has_own_output = true;
  options.name = std::filesystem::path(words.front()).filename().string();
  options.forecast = std::make_shared<RunForecast>(program.schedulers);
  CommandLineParser parser(options.name, farm_purpose(program.purpose.c_str(), options.name.c_str()));
  if (program.options && own == OwnWords::told_here) parser.add_own(program.options);
  add_run_options(parser, options);
  if (!parser.parse(static_cast<int>(words.size()), words.data())) return std::nullopt;
  options.farm.network.words.assign(words.begin(), words.end());
  options.farm.journal.program = options.name + " " + parser.own_words();
  return options;
}

bool joins(const std::vector<const char*>& words) {
  return std::ranges::any_of(
      words, [](std::string_view word) { return word == "--join" || word.starts_with("--join="); });
}

/// A process that has joined is the program that the master was started as.
void take_masters_words(const Farm& farm, const Program& program) {
  std::vector<const char*> words;
  for (const std::string& word : farm.options().network.words) words.push_back(word.c_str());
  read_command_line(words, program, OwnWords::told_here);
}

}  // namespace

int run(int argc, char** argv, const std::function<void(Farm&)>& body, const Program& program) {
  return run_program([&] {
    static bool was_called = false;
    if (std::exchange(was_called, true))
      throw UsageError("loadshare::run was called again", "MPI begins and ends once in a process",
                       "run all loops in one body");
    const std::vector<const char*> words(argv, argv + argc);
    const OwnWords own = joins(words) ? OwnWords::told_by_master : OwnWords::told_here;
    const auto options = read_command_line(words, program, own);
    if (!options) return ExitCode::good;
    Lending lending(make_farm(*options));
    if (own == OwnWords::told_by_master) take_masters_words(lending.farm(), program);
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
