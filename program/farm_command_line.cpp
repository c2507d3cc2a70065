#include "program/farm_command_line.hpp"

#include <fmt/format.h>

#include <array>
#include <limits>

#include "base/error.hpp"
#include "base/names.hpp"
#include "base/quantities.hpp"
#include "runtime/farm/program.hpp"

namespace loadshare {

namespace {

MasterMode parse_master_mode(const std::string& text) {
  static const std::array<std::string, 2> names{"works", "coordinates"};
  if (text == names[0]) return MasterMode::works;
  if (text == names[1]) return MasterMode::coordinates;
  throw unknown_name("--master", text, names);
}

int small_number(const char* option, const std::string& text) {
  return static_cast<int>(whole_number(option, text, 0, std::numeric_limits<int>::max()));
}

/// What would be passed over in silence: ranks without mpirun, threads with it.
void check_launch(const FarmOptions& options) {
  const bool is_mpi = detect_launch().is_mpi;
  if (is_mpi && options.workers != 0)
    throw UsageError(fmt::format("--workers is {}", options.workers), "under mpirun every rank is one worker",
                     "leave it out, and start as many ranks with mpirun -q -np");
  if (!is_mpi && options.master_rank != 0)
    throw UsageError(fmt::format("--master-rank is {}", options.master_rank),
                     "there are no ranks without mpirun", "leave it out");
}

}  // namespace

Farm make_farm(const RunOptions& options) {
  return Farm(options.farm, options.forecast->schedulers());
}

void FarmCommandLine::add_to(CommandLineParser& parser) {
  describe_workers(parser.group("Who computes"));
  describe_load(parser.group("Who disturbs"));
  describe_reports(parser.group("What is told"));
  parser.group(testing_group)
      .add("--ranks-per-host", ranks_per_host_, "N",
           "take every N ranks for a host of their own; 0: as they are");
}

void FarmCommandLine::describe_workers(const OptionGroup& group) {
  group.add("--scheduler", scheduler_, "SPEC",
            "technique and parameters, as gss:14, or auto; `help` lists them");
  group.add("--workers", workers_, "N", "without mpirun: worker threads; 0: one a core");
  group.add("--master", master_, "MODE", "under mpirun: the master works, or only coordinates");
  group.add("--master-rank", master_rank_, "RANK", "under mpirun: the rank, so the host, of the master");
  group.add("--prefetch", prefetch_, "N", "chunks queued at a worker beyond the one it computes");
  group.add_flag("--reissue", reissue_, "at the tail, give unfinished chunks again to idle workers");
  group.add("--wait", wait_, "HOW", "how the idle wait: spin, yield, nap, or auto");
}

void FarmCommandLine::describe_load(const OptionGroup& group) {
  group.add("--load", load_, "SPEC",
            "a background load beside the workers: on=1s,off=1s | constant | trace=FILE, and\n"
            "share=0.5 (of the processor, for the load), phase=0|250ms|random, seed=1,\n"
            "where=workers|all|0-3+5");
}

void FarmCommandLine::describe_reports(const OptionGroup& group) {
  group.add("--json", json_, "FILE", "append the run's record to FILE as one line; - is stdout");
  group.add("--trace", trace_, "FILE", "write a trace for ui.perfetto.dev to FILE");
  group.add("--progress", progress_, "HOW", "auto, bar, lines or none");
}

bool FarmCommandLine::has_answered() const {
  if (scheduler_ != "help") return false;
  answer("the schedulers", farm_scheduler_help());
  return true;
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
  options.farm.load = load_;
  check_launch(options.farm);
  return options;
}

}  // namespace loadshare
