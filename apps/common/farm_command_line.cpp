#include "apps/common/farm_command_line.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <limits>
#include <vector>

#include "apps/common/whole_number.hpp"
#include "runtime/farm/launch.hpp"
#include "schedulers/error.hpp"
#include "schedulers/nearest.hpp"

namespace loadshare {

namespace {

MasterMode parse_master_mode(const std::string& text) {
  static const std::array<std::string, 2> names{"works", "coordinates"};
  if (text == names[0]) return MasterMode::works;
  if (text == names[1]) return MasterMode::coordinates;
  throw UsageError("--master is '" + text + "'", "works or coordinates", did_you_mean(text, names));
}

int small_number(const char* option, const std::string& text) {
  return static_cast<int>(whole_number(option, text, 0, std::numeric_limits<int>::max()));
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

[[noreturn]] void refuse(const CLI::App& app, const CLI::ParseError& error, int argc,
                         const char* const* argv) {
  const std::vector<std::string> names = option_names(app);
  for (int i = 1; i < argc; ++i) {
    const std::string word = std::string(argv[i]).substr(0, std::string(argv[i]).find('='));
    if (!word.starts_with("--") || word == "--" || std::ranges::find(names, word) != names.end()) continue;
    const std::string hint = did_you_mean(word, names);
    throw UsageError("unknown option '" + word + "'", "", hint.empty() ? "see --help" : hint);
  }
  throw UsageError(error.what(), "", "see --help");
}

}  // namespace

void FarmCommandLine::add_to(CLI::App& app) {
  app.option_defaults()->always_capture_default();
  const std::string who = "Who computes";
  app.add_option("--scheduler", scheduler_, "technique and parameters, as gss:14; `help` lists them")
      ->group(who);
  app.add_option("--workers", workers_, "worker threads, without mpirun (0: one a core)")->group(who);
  app.add_option("--master", master_, "under mpirun the master works or coordinates")->group(who);
  app.add_option("--master-rank", master_rank_, "under mpirun: the rank, so the host, of the master")
      ->group(who);
  app.add_option("--prefetch", prefetch_, "chunks queued at a worker beyond the one it computes")->group(who);
  app.add_flag("--reissue", reissue_, "at the tail, give unfinished chunks again to idle workers")
      ->group(who);
  app.add_option("--wait", wait_, "how the idle wait: spin, yield, nap, or auto")->group(who);
  const std::string told = "What is told";
  app.add_option("--json", json_, "append the run's record to FILE as one line; - is stdout")
      ->type_name("FILE")
      ->group(told);
  app.add_option("--trace", trace_, "write a trace for ui.perfetto.dev to FILE")
      ->type_name("FILE")
      ->group(told);
  app.add_option("--progress", progress_, "auto, bar, lines or none")->group(told);
  app.add_option("--ranks-per-host", ranks_per_host_,
                 "pretend that every so many ranks are a host of their own, with messages between")
      ->group("For testing");
}

RunOptions FarmCommandLine::read() const {
  RunOptions options;
  options.farm.scheduler = scheduler_;
  options.farm.workers = whole_number("--workers", workers_, 0);
  options.farm.master = parse_master_mode(master_);
  options.farm.master_rank = small_number("--master-rank", master_rank_);
  options.farm.prefetch = whole_number("--prefetch", prefetch_, 0);
  options.farm.wait = parse_wait_policy(wait_);
  options.farm.reissue = reissue_ ? Reissue::on : Reissue::off;
  options.farm.ranks_per_host = small_number("--ranks-per-host", ranks_per_host_);
  options.progress = parse_progress_mode(progress_);
  options.json = json_;
  options.trace = trace_;
  return options;
}

bool parse_command_line(CLI::App& app, int argc, const char* const* argv) {
  const bool speaks = detect_launch().is_first();
  try {
    app.parse(argc, argv);
    return true;
  } catch (const CLI::CallForHelp&) {
    if (speaks) fmt::print("{}", app.help());
  } catch (const CLI::CallForVersion& version) {
    if (speaks) fmt::print("{}\n", version.what());
  } catch (const CLI::ParseError& error) {
    refuse(app, error, argc, argv);
  }
  return false;
}

}  // namespace loadshare
