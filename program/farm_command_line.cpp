#include "program/farm_command_line.hpp"

#include <fmt/format.h>

#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/io/text.hpp"
#include "base/quantities.hpp"
#include "program/interruption.hpp"
#include "runtime/farm/program.hpp"
#include "runtime/load/load_spec.hpp"
#include "runtime/records/progress.hpp"

namespace loadshare {

namespace {

/// Refuses options that would have no effect: ranks without mpirun, threads with it.
void check_launch(const FarmOptions& options) {
  const bool is_mpi = detect_launch().is_mpi;
  if (is_mpi && options.workers != 0)
    throw UsageError(fmt::format("--workers is {}", options.workers), "under mpirun every rank is one worker",
                     "leave it out, and start as many ranks with mpirun -q -np");
  if (!is_mpi && options.master_rank != 0)
    throw UsageError(fmt::format("--master-rank is {}", options.master_rank),
                     "there are no ranks without mpirun", "leave it out");
}

void check_drain(const RunOptions& options) {
  if (options.drain_on && !options.farm.journal.is_used())
    throw UsageError("--drain-on without --journal", "the results finished by then would be lost",
                     "give --journal FOLDER");
}

/// The options of a process that joins a master; --listen and --load are refused elsewhere, each with its own
/// error.
constexpr std::array<std::string_view, 9> options_of_workers{
    "--join",       "--workers", "--secret-file", "--without-secret", "--patience", "--wait",
    "--started-as", "--listen",  "--load"};

void add_workers(const OptionGroup& group, FarmOptions& farm) {
  const Form<Index> small = whole(0, std::numeric_limits<int>::max());
  group.add("--scheduler", farm.scheduler, "SPEC",
            "scheduling technique with its parameters, such as gss:14, or auto; `help` lists them");
  group.add("--workers", farm.workers, whole(0), "N",
            "worker threads of this process, without mpirun; 0: one per granted processor");
  group.add("--master", farm.master, master_modes, "MODE",
            "under mpirun and with --listen: works (the master computes too) or coordinates");
  group.add("--master-rank", farm.master_rank, small, "RANK",
            "under mpirun: rank of the master, and therefore its host");
  group.add("--prefetch", farm.prefetch, whole(0), "N",
            "chunks queued at a worker in addition to the one that it computes");
  group.add_flag(
      "--reissue", farm.reissue, Reissue::on,
      "near the end, give unfinished chunks to idle workers as well; a body may then run more than "
      "once, also twice at the same time");
  group.add("--copies", farm.copies, copies_rules, "RULE",
            "allowed, or never: give a chunk to another worker only after its holder has returned it, has "
            "certainly ended, or its --lease has run out");
  group.add(
      "--on-failure", farm.on_failure, "RULE",
      "what to do if an iteration throws: end the run (end), repeat it up to N times (retry:N), or repeat "
      "it and then leave it out (skip:N)");
  group.add("--crash-limit", farm.crash_limit, whole(0, most_crash_limit), "N",
            "processes that are lost with an iteration before it is blamed for the losses; 0: never blamed");
  group.add("--wait", farm.wait, wait_policies, "HOW", "how an idle thread waits: spin, yield, nap or auto");
}

void add_network(const OptionGroup& group, NetworkOptions& network) {
  const Form<double> duration = {
      [](std::string_view option, const std::string& word) { return duration_s(option, word); },
      [](double seconds) { return seconds > 0 ? short_duration_text(seconds) : ""; }};
  group.add(
      "--listen", network.listen, "HOST:PORT",
      "accept workers over TCP, which may join and leave; port 0: any free port. A body may run more than "
      "once if its worker is lost, silent or slow to leave (see --copies)");
  group.add("--join", network.join, "HOST:PORT",
            "join the master at this address with --workers workers; no other option is needed");
  group.add("--secret-file", network.secret_file, "FILE",
            "secret that master and workers share: at least 16 bytes, readable only by you; -: from stdin");
  group.add_flag("--without-secret", network.without_secret, true,
                 "admit any process, also from other hosts and from other users of this host");
  group.add("--expect", network.expect, whole(0), "N",
            "workers that must be present before a loop begins, the master's included");
  group.add("--start-after", network.start_after_s, duration, "TIME",
            "begin the first loop after this time in any case; without --expect, wait this long for workers");
  group.add(
      "--patience", network.patience_s, duration, "TIME",
      "longest wait of a master without workers, of a disconnected worker for its master and, under mpirun, "
      "of a loop for ranks that were left behind by the loop before it");
  group.add("--lease", network.lease_s, duration, "TIME",
            "with --copies never: how long a worker computes without contact to the master");
  group.add("--start-on", network.start_on, "FILE",
            "start workers on the hosts in FILE, one per line: node7, or node7 workers=4");
  group.add("--start-by", network.start_by, "COMMAND",
            "command that starts a program on {host}; the program and its arguments are appended");
  group.add("--started-as", network.started_as, "NAME",
            "name that the master gave to this worker when it started it; set by the master");
}

void add_journal(const OptionGroup& group, JournalOptions& journal) {
  const Form<std::uint64_t> bytes = {
      [](std::string_view option, const std::string& word) { return byte_count(option, word); },
      [](const std::uint64_t& count) { return human_bytes(count); }};
  group.add("--journal", journal.folder, "FOLDER",
            "keep finished results in FOLDER, for a later run with --resume");
  group.add_flag("--resume", journal.resumes, true,
                 "continue with the results that --journal kept of an earlier run");
  group.add("--journal-limit", journal.limit_bytes, bytes, "BYTES", "most bytes that the results may take");
}

void add_reports(const OptionGroup& group, ReportOptions& reports, FarmOptions& farm) {
  add_report_options(group, reports);
  group.add("--status", farm.network.status, "HOST:PORT",
            "serve a web page that shows the running loop; a port alone: reachable from this host only");
  group.add("--trace", reports.trace, "FILE", "write a trace of the run, for ui.perfetto.dev");
}

}  // namespace

std::string farm_purpose(const std::string& what, const std::string& words) {
  return fmt::format(
      "{}\nWithout mpirun, it uses threads of this machine; under mpirun or srun, all ranks:\n  mpirun -q "
      "-np 4 {}",
      what, words);
}

void add_run_options(CommandLineParser& parser, RunOptions& options) {
  FarmOptions& farm = options.farm;
  const OptionGroup workers = parser.group("Workers and scheduling");
  add_workers(workers, farm);
  workers.add("--auto-from", options.auto_from, "FILE",
              "record of an earlier run on these hosts, from which auto starts and techniques take mean and "
              "deviation; none: use no record; if not given: the record that auto kept of the same loop");
  add_network(parser.group("Workers on other machines, without mpirun"), farm.network);
  add_load_option(parser, farm.load, "workers", "");
  const OptionGroup journal = parser.group("Journal");
  add_journal(journal, farm.journal);
  journal.add(
      "--drain-on", options.drain_on, one_of(drain_signals), "SIGNAL",
      "USR1 or USR2: on this signal hand out no more chunks, finish those that have begun, and end with "
      "exit code 4; the journal then has the results for --resume");
  add_reports(parser.group(output_group), options, farm);
  parser.group(testing_group)
      .add("--ranks-per-host", farm.ranks_per_host, whole(0, std::numeric_limits<int>::max()), "N",
           "treat every N ranks as a host of their own; 0: real hosts");
  parser.answer_help("--scheduler", "the schedulers", [&options](std::size_t columns) {
    return options.forecast->schedulers().help(columns);
  });
  parser.check([&farm] { check_launch(farm); });
  parser.check([&parser, &farm] {
    if (!farm.network.join.empty()) parser.leave_others_to_master(options_of_workers);
  });
  parser.check([&options] {
    check_drain(options);
    require_own_files(files_read(options), {{"--json", options.json}, {"--trace", options.trace}});
    require_own_files({{"--auto-from", options.auto_from}}, {{"--trace", options.trace}});
  });
  parser.check([&options] { options.forecast->look_in(options.auto_from); });
  parser.check([&parser, &farm] { farm.more_terms = parser.values(); });
}

// Without the file of --auto-from, because a run may append its record to it.
std::vector<NamedFile> files_read(const RunOptions& options) {
  return {{"--secret-file", options.farm.network.secret_file},
          {"--start-on", options.farm.network.start_on},
          {"--load", load_trace_file(options.farm.load)}};
}

namespace {

constexpr const char* known_as_variable = "LOADSHARE_KNOWN_AS";
constexpr const char* may_come_back_variable = "LOADSHARE_MASTER_MAY_COME_BACK";

/// Replaces this process by the same program with the same command line.
void start_again(const std::string& known_as, bool may_come_back) {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> words;
  for (std::string word; std::getline(file, word, '\0');) words.push_back(word);
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  setenv(known_as_variable, known_as.c_str(), 1);
  if (may_come_back) setenv(may_come_back_variable, "1", 1);
  execv("/proc/self/exe", argv.data());
}

}  // namespace

Farm make_farm(const RunOptions& options) {
  FarmOptions farm = options.farm;
  if (const char* known_as = std::getenv(known_as_variable)) farm.network.known_as = known_as;
  farm.network.may_come_back = std::getenv(may_come_back_variable) != nullptr;
  unsetenv(known_as_variable);  // child processes must not inherit them
  unsetenv(may_come_back_variable);
  farm.network.start_again = start_again;
  farm.network.interrupted = &watch_interruptions();
  watch_drain(options.drain_on);  // on every rank, because each may receive the signal
  farm.network.note = [](const std::string& note) {
    write_note(fmt::format("{}: {}\n", program_invocation_short_name, printable(note)));
  };
  return Farm(std::move(farm), options.forecast->schedulers());
}

}  // namespace loadshare
