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

void check_drain(const RunOptions& options) {
  if (options.drain_on && !options.farm.journal.is_used())
    throw UsageError("--drain-on without --journal", "the results finished by then would be lost",
                     "give --journal FOLDER");
}

/// What a process may be told that joins a master; --listen and --load are refused with words of their own.
constexpr std::array<std::string_view, 9> options_of_workers{
    "--join",       "--workers", "--secret-file", "--without-secret", "--patience", "--wait",
    "--started-as", "--listen",  "--load"};

void add_workers(const OptionGroup& group, FarmOptions& farm) {
  const Form<Index> small = whole(0, std::numeric_limits<int>::max());
  group.add("--scheduler", farm.scheduler, "SPEC",
            "technique and parameters, as gss:14, or auto; `help` lists them");
  group.add("--workers", farm.workers, whole(0), "N",
            "without mpirun: worker threads of this process; 0: one per granted processor");
  group.add("--master", farm.master, master_modes, "MODE",
            "under mpirun and with --listen: the master works, or only coordinates");
  group.add("--master-rank", farm.master_rank, small, "RANK",
            "under mpirun: the rank, so the host, of the master");
  group.add("--prefetch", farm.prefetch, whole(0), "N",
            "chunks queued at a worker beyond the one it computes");
  group.add_flag("--reissue", farm.reissue, Reissue::on,
                 "at the tail, give unfinished chunks again to idle workers: a body may then\n"
                 "run more than once, also twice at the same time");
  group.add("--copies", farm.copies, copies_rules, "RULE",
            "allowed, or never: a chunk is given to another worker only when its holder\n"
            "has returned it, has surely ended, or its --lease has run out");
  group.add("--on-failure", farm.on_failure, "RULE",
            "when an iteration throws: end (the run), retry:N (give it again N times), skip:N\n"
            "(likewise, but then leave it out)");
  group.add("--crash-limit", farm.crash_limit, whole(0, most_crash_limit), "N",
            "processes lost with one iteration before it can be convicted; 0: none ever is");
  group.add("--wait", farm.wait, wait_policies, "HOW", "how an idle thread waits: spin, yield, nap, or auto");
}

void add_network(const OptionGroup& group, NetworkOptions& network) {
  const Form<double> duration = {
      [](std::string_view option, const std::string& word) { return duration_s(option, word); },
      [](double seconds) { return seconds > 0 ? short_duration_text(seconds) : ""; }};
  group.add("--listen", network.listen, "HOST:PORT",
            "be the master of workers that join and leave over TCP; port 0: any. A body may\n"
            "run more than once if its worker is lost, silent or late to leave (--copies)");
  group.add("--join", network.join, "HOST:PORT",
            "join that master with --workers workers; no other option is needed");
  group.add("--secret-file", network.secret_file, "FILE",
            "what only master and workers know: at least 16 bytes, readable by you\nalone; - is stdin");
  group.add_flag("--without-secret", network.without_secret, true,
                 "admit every process: from other hosts, and of other users of this one");
  group.add("--expect", network.expect, whole(0), "N",
            "workers that must be present before a loop begins, the master's included");
  group.add("--start-after", network.start_after_s, duration, "TIME",
            "begin the first loop then anyway; without --expect, wait so long for workers");
  group.add("--patience", network.patience_s, duration, "TIME",
            "how long work waits for workers, and one that was cut off for the master; under\n"
            "mpirun, how long a loop waits for ranks that the last one ended without");
  group.add("--lease", network.lease_s, duration, "TIME",
            "with --copies never: how long a worker computes without reaching the master");
  group.add("--start-on", network.start_on, "FILE",
            "start workers on hosts, a line of FILE each: node7, or node7 workers=4");
  group.add("--start-by", network.start_by, "COMMAND",
            "command that starts a program on {host}; the program and its arguments are\nappended");
  group.add("--started-as", network.started_as, "NAME",
            "name that the master gives the workers that it starts");
}

void add_journal(const OptionGroup& group, JournalOptions& journal) {
  const Form<std::uint64_t> bytes = {
      [](std::string_view option, const std::string& word) { return byte_count(option, word); },
      [](const std::uint64_t& count) { return human_bytes(count); }};
  group.add("--journal", journal.folder, "FOLDER",
            "keep finished results there, for a later run with --resume");
  group.add_flag("--resume", journal.resumes, true,
                 "continue with the results that --journal has of an earlier run");
  group.add("--journal-limit", journal.limit_bytes, bytes, "BYTES", "the most that results may take there");
}

void add_reports(const OptionGroup& group, ReportOptions& reports, FarmOptions& farm) {
  add_report_options(group, reports);
  group.add("--status", farm.network.status, "HOST:PORT",
            "serve a page there that shows the running loop; a port alone: on this host only");
  group.add("--trace", reports.trace, "FILE", "write a trace for ui.perfetto.dev to FILE");
}

}  // namespace

std::string farm_purpose(const std::string& what, const std::string& words) {
  return fmt::format(
      "{}\nAlone it uses threads of this machine; under mpirun or srun, all its ranks:\n  mpirun -q -np 4 {}",
      what, words);
}

void add_run_options(CommandLineParser& parser, RunOptions& options) {
  FarmOptions& farm = options.farm;
  add_workers(parser.group("Who computes"), farm);
  parser.group("Who computes")
      .add("--auto-from", options.auto_from, "FILE",
           "what auto begins with, and where techniques have mean and deviation from:\n"
           "a record of an earlier run by these hosts, or none; if not given, what the\n"
           "last run of the same loop by auto has left in the cache");
  add_network(parser.group("Workers of other machines, without mpirun"), farm.network);
  parser.group("Who disturbs")
      .add("--load", farm.load, "SPEC",
           "a background load beside the workers: on=1s,off=1s | constant | trace=FILE, and\n"
           "share=0.5 (of the processor, for the load), phase=0|250ms|random, seed=1,\n"
           "where=workers|all|0-3+5");
  const OptionGroup journal = parser.group("Should the master die");
  add_journal(journal, farm.journal);
  journal.add("--drain-on", options.drain_on, one_of(drain_signals), "SIGNAL",
              "USR1 or USR2: on this signal give out no more chunks, let begun ones finish, and\n"
              "end with exit code 4; the journal then has the results for --resume");
  add_reports(parser.group("What is told"), options, farm);
  parser.group(testing_group)
      .add("--ranks-per-host", farm.ranks_per_host, whole(0, std::numeric_limits<int>::max()), "N",
           "take every N ranks for a host of their own; 0: as they are");
  parser.answer_help("--scheduler", "the schedulers",
                     [&options] { return options.forecast->schedulers().help(); });
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

// The file of --auto-from is not among them: a run may append its record to it.
std::vector<NamedFile> files_read(const RunOptions& options) {
  return {{"--secret-file", options.farm.network.secret_file},
          {"--start-on", options.farm.network.start_on},
          {"--load", load_trace_file(options.farm.load)}};
}

namespace {

constexpr const char* known_as_variable = "LOADSHARE_KNOWN_AS";
constexpr const char* may_come_back_variable = "LOADSHARE_MASTER_MAY_COME_BACK";

/// The same program with the same words.
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
  unsetenv(known_as_variable);  // these are this process's alone
  unsetenv(may_come_back_variable);
  farm.network.start_again = start_again;
  farm.network.interrupted = &watch_interruptions();
  watch_drain(options.drain_on);  // on every rank, because the signal may reach them all
  farm.network.note = [](const std::string& note) {
    write_stderr(fmt::format("{}: {}\n", program_invocation_short_name, printable(note)));
  };
  return Farm(std::move(farm), options.forecast->schedulers());
}

}  // namespace loadshare
