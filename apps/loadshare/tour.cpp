#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include "apps/loadshare/command.hpp"
#include "apps/loadshare/output.hpp"
#include "base/io/error_text.hpp"
#include "base/io/files.hpp"
#include "base/io/process.hpp"
#include "base/io/text.hpp"

namespace loadshare::tool {
namespace {

namespace fs = std::filesystem;

const int tour_width = text_columns(STDOUT_FILENO, 92);

constexpr const char* tour_sweep = R"(schema: 1
title: Three ways of cutting a matrix product
seed: 1
program: matmul
launch: {with: in-process, workers: 2, timeout: 60s}
options: {size: 1440}
repeat: 8
experiments:
  - name: schedulers
    title: Always 3 columns, GSS and factoring
    matrix:
      scheduler: ["send:3", gss, factoring]
    compare: scheduler
    baseline: "send:3"
)";

/// One stop of the tour: what it shows, the command, and what to look at in its output.
struct Stop {
  std::string title;
  std::string before;
  Words command;
  std::string after;
};

/// A program as a person would type it here: it stands beside this one, or in PATH.
std::string program_text(const std::string& name) {
  std::error_code none;
  const fs::path beside = fs::path(own_path()).parent_path() / name;
  if (!fs::exists(beside, none)) return name;
  const fs::path near = beside.lexically_proximate(fs::current_path(none));
  return near.native().starts_with("..") ? beside.string() : near.string();
}

std::vector<Stop> stops(const std::string& folder) {
  const std::string matmul = program_text("matmul"), loadshare = program_text("loadshare");
  const std::string run = folder + "/run.jsonl", sweep = folder + "/sweep";
  return {
      {"A product by two workers",
       "Two workers multiply two matrices. A worker that is idle gets the next chunk of columns. The "
       "scheduler decides how many columns that is. GSS divides the remaining columns by the number of "
       "workers: chunks are large at first, so that there are few, and small at the end, so that all workers "
       "finish at the same time.",
       {matmul, "--size", "1440", "--scheduler", "gss", "--workers", "2", "--json", run},
       "Each rank has a line: what it computed, and where its time went. The efficiency is the share of the "
       "workers' time that went into computing. --explain explains the words. The whole record is in " +
           run + ". Under `mpirun -q -np 2` the workers are processes, on this or on other machines."},
      {"Under a load",
       "Other people's programs start and stop at any time. Here loadshare makes such a load itself: it "
       "takes half of each worker's processor, on and off every fifth of a second.",
       {matmul, "--size", "2048", "--scheduler", "gss", "--workers", "2", "--load",
        "on=200ms,off=200ms,share=0.5"},
       "The column stolen% is the time that the load took: the worker had columns to compute, but not the "
       "processor. Because chunks are small at the end, the other worker can take over the rest of its "
       "columns."},
      {"Which technique is best?",
       "One run shows little, because the next one takes a different time. A sweep runs every scheduler "
       "several times, in turn, and records all runs. This is its file, " +
           folder + "/sweep.yaml:",
       {loadshare, "sweep", folder + "/sweep.yaml", "--out", sweep, "--progress", "none"},
       "A run by send:3 takes longer although its workers are busy all the time: a column costs more in a "
       "chunk of 3. The efficiency does not show that loss."},
      {"The report",
       "The report shows every sample, medians with their intervals, and verdicts: which scheduler is "
       "better, and whether the runs are enough to know.",
       {loadshare, "report", sweep},
       "Open the page in a browser; it needs no network. The figures are also in points.csv next to it."},
      {"A farm that you do not have",
       "How long would the first product take on two hosts like this one and four that have three tenths of "
       "a processor each? The predictor runs the real schedulers in virtual time, with the costs of columns "
       "from the record.",
       {loadshare, "predict", run, "--hosts", "2x1,4x0.3", "--costs", "latency=20us,bandwidth=1.25GB/s"},
       "Here the network is assumed to have 10 Gbit/s. `loadshare calibrate` measures a real network, "
       "`loadshare survey` measures real hosts, and `loadshare lab` makes a network of unequal hosts on this "
       "machine."},
  };
}

/// A folder that is not there yet, so that nothing is written over.
std::string free_folder() {
  const std::string first = "results/tour";
  std::string folder = first;
  for (int number = 2; fs::exists(folder); ++number) folder = fmt::format("{}-{}", first, number);
  return folder;
}

std::string paragraph(const std::string& text) {
  return wrapped(text, tour_width, 0) + "\n";
}

/// Whether to go on; without anybody to ask, always.
bool goes_on(bool asks) {
  finish_printing();
  if (!asks) return true;
  print("[Enter runs it, q ends the tour] ");
  finish_printing();
  std::string answer;
  return std::getline(std::cin, answer) && answer != "q";
}

/// Returns whether this end of a command was requested.
bool is_interruption(int code) {
  constexpr int by_signal = 128;
  return code == static_cast<int>(ExitCode::interrupted) || code == by_signal + SIGTERM ||
         code == by_signal + SIGHUP;
}

void run_stop(const Stop& stop, const std::string& folder) {
  finish_printing();
  const int code = run_in_foreground(stop.command);
  if (is_interruption(code))
    throw Error(ExitCode::interrupted, "the tour was interrupted", fmt::format("{} keeps its files", folder));
  if (code != 0)
    throw Error(ExitCode::run_failed, fmt::format("the tour ends here: `{}` failed", stop.command.front()),
                fmt::format("its exit code is {}", code),
                fmt::format("see its message above; {} keeps the files so far", folder));
}

class Tour final : public Command {
 public:
  void describe(CLI::App& app) override {
    app.add_option("--out", folder_, "a new folder for its files (default: results/tour)")->type_name("DIR");
    app.add_flag("--yes", yes_, "run all steps without asking, as if stdin were not a terminal");
  }

  ExitCode run() override {
    const std::string folder = folder_.empty() ? free_folder() : folder_;
    prepare(folder);
    const bool asks = !yes_ && isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1;
    const std::vector<Stop> all = stops(folder);
    print(
        paragraph(fmt::format("The tour has {} stops and takes some minutes. You can type each of its "
                              "commands yourself later. Its files go to {}.",
                              all.size(), folder)));
    for (std::size_t i = 0; i < all.size(); ++i) {
      const Stop& stop = all[i];
      print(fmt::format("\n== {} of {}: {}\n\n", i + 1, all.size(), stop.title) + paragraph(stop.before));
      if (stop.command[1] == "sweep") print_exactly("\n" + indented(tour_sweep));
      print_exactly("\n$ " + command_text(stop.command) + "\n");
      if (!goes_on(asks)) return ExitCode::good;
      run_stop(stop, folder);
      print("\n" + paragraph(stop.after));
    }
    print(
        fmt::format("\n"
                    "This is the end of the tour. Next: `{0} --help`, `{1} help`, and `{1} doctor`, which "
                    "checks what would make runs slow here.\n",
                    program_text("matmul"), program_text("loadshare")));
    return ExitCode::good;
  }

 private:
  static void prepare(const std::string& folder) {
    std::error_code failure;
    if (fs::exists(folder, failure))
      throw UsageError(fmt::format("--out is '{}'", folder), "it exists already", "name a new folder");
    fs::create_directories(folder, failure);
    if (failure)
      throw UsageError(fmt::format("cannot make the folder '{}'", folder), loadshare::error_text(failure),
                       "name another one with --out");
    replace_file(folder + "/sweep.yaml", tour_sweep);
  }

  static std::string indented(std::string_view text) {
    std::string lines;
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = text.find('\n', begin) + 1;
      lines += "  " + std::string(text.substr(begin, end - begin));
      begin = end;
    }
    return lines;
  }

  std::string folder_;
  bool yes_ = false;
};

}  // namespace

std::unique_ptr<Command> make_tour_command() {
  return std::make_unique<Tour>();
}

}  // namespace loadshare::tool
