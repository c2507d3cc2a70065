#include "apps/loadshare/command_line.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <limits>

#include "apps/common/whole_number.hpp"
#include "schedulers/error.hpp"
#include "schedulers/nearest.hpp"

namespace loadshare::tool {
namespace {

const std::array<std::string, 3> subcommands{"chunks", "schedulers", "doctor"};

/// What CLI11 writes the command line's words into.
struct Words {
  std::string spec;
  std::string iterations;
  std::string workers;
  bool json = false;
  bool strict = false;
};

void describe_chunks(CLI::App& app, Words& words) {
  CLI::App* chunks =
      app.add_subcommand("chunks", "Print the chunk sizes that a scheduler hands out, in order");
  chunks->add_option("SPEC", words.spec, "the scheduler, as `loadshare schedulers` lists them: gss:14")
      ->required();
  chunks->add_option("--iterations", words.iterations, "iterations of the loop")->required()->type_name("N");
  chunks->add_option("--workers", words.workers, "workers that ask in turn, all of one speed")
      ->required()
      ->type_name("P");
  chunks->add_flag("--json", words.json, "print one JSON object instead of one size a line");
}

void describe_doctor(CLI::App& app, Words& words) {
  CLI::App* doctor = app.add_subcommand(
      "doctor", "Say what would make runs slow here; under mpirun, for these ranks (one rank a host speaks)");
  doctor->add_flag("--json", words.json, "print one JSON object");
  doctor->add_flag("--strict", words.strict, "exit with 1 when there is a warning");
}

std::string known_subcommands() {
  return fmt::format("there are {}", list_names(subcommands));
}

void refuse_unknown_subcommand(const std::string& word) {
  if (word.starts_with('-')) return;
  if (std::find(subcommands.begin(), subcommands.end(), word) != subcommands.end()) return;
  throw UsageError(fmt::format("unknown subcommand '{}'", word), known_subcommands(),
                   did_you_mean(word, subcommands));
}

ChunksCommand chunks_command(const Words& words) {
  constexpr Index most_workers = std::numeric_limits<std::uint32_t>::max();
  constexpr Index most_iterations = std::numeric_limits<Index>::max();
  return {words.spec,
          {whole_number("--iterations", words.iterations, 0, most_iterations),
           whole_number("--workers", words.workers, 1, most_workers)},
          words.json ? OutputForm::json : OutputForm::text};
}

Command command_of(const CLI::App& app, const Words& words) {
  if (app.got_subcommand("chunks")) return chunks_command(words);
  if (app.got_subcommand("schedulers")) return SchedulersCommand{};
  return DoctorCommand{words.json ? OutputForm::json : OutputForm::text,
                       words.strict ? Strictness::warnings_fail : Strictness::advice_only};
}

}  // namespace

Command read_command_line(int argc, const char* const* argv) {
  if (argc < 2) throw UsageError("no subcommand was given", known_subcommands(), "see loadshare --help");
  refuse_unknown_subcommand(argv[1]);
  CLI::App app("Load sharing on a handful of machines: look before you run", "loadshare");
  app.require_subcommand(1);
  app.set_version_flag("--version", LOADSHARE_VERSION);
  Words words;
  describe_chunks(app, words);
  app.add_subcommand("schedulers", "List the schedulers with their parameters");
  describe_doctor(app, words);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    print(app.help());
    return NothingToDo{};
  } catch (const CLI::CallForVersion& version) {
    print(std::string(version.what()) + "\n");
    return NothingToDo{};
  } catch (const CLI::ParseError& error) {
    throw UsageError(error.what(), "see loadshare --help");
  }
  return command_of(app, words);
}

}  // namespace loadshare::tool
