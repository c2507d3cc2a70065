#include "apps/loadshare/command_line.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <vector>

#include "apps/loadshare/output.hpp"
#include "schedulers/nearest.hpp"

namespace loadshare::tool {
namespace {

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const CommandEntry& entry : commands()) all.push_back(entry.name);
  return all;
}

std::string known_subcommands() {
  return fmt::format("there are {}", list_names(names()));
}

void refuse_unknown_subcommand(const std::string& word) {
  const std::vector<std::string> known = names();
  if (word.starts_with('-') || std::ranges::find(known, word) != known.end()) return;
  throw UsageError(fmt::format("unknown subcommand '{}'", word), known_subcommands(),
                   did_you_mean(word, known));
}

}  // namespace

std::unique_ptr<Command> read_command_line(int argc, const char* const* argv) {
  if (argc < 2) throw UsageError("no subcommand was given", known_subcommands(), "see loadshare --help");
  refuse_unknown_subcommand(argv[1]);
  CLI::App app("Load sharing on a handful of machines: look before you run", "loadshare");
  app.require_subcommand(1);
  app.set_version_flag("--version", LOADSHARE_VERSION);
  std::map<std::string, std::unique_ptr<Command>> made;
  for (const CommandEntry& entry : commands()) {
    auto& command = made[entry.name] = entry.make();
    command->describe(*app.add_subcommand(entry.name, entry.description));
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    print(app.help());
    return nullptr;
  } catch (const CLI::CallForVersion& version) {
    print(std::string(version.what()) + "\n");
    return nullptr;
  } catch (const CLI::ParseError& error) {
    throw UsageError(error.what(), "see loadshare --help");
  }
  return std::move(made.at(app.get_subcommands().front()->get_name()));
}

}  // namespace loadshare::tool
