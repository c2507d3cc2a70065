#include "program/loadshare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "program/farm_command_line.hpp"
#include "program/interruption.hpp"
#include "program/run_report.hpp"
#include "program/status_page.hpp"
#include "runtime/farm/program.hpp"

namespace loadshare {

namespace {

struct OwnOptions : RunOptions {
  std::string name;
  std::map<std::string, OptionValue> own;  ///< the program's own options that are recorded
};

/// Returns the share of iterations computed in this run. Another run computed those recovered from a journal.
double computed_share(const RunRecord& record) {
  if (!record.journal || record.iterations == 0) return 1;
  return 1 - static_cast<double>(record.journal->recovered) / static_cast<double>(record.iterations);
}

/// Reports each loop to the user: its progress and the forecast of its end, and the record when it has ended.
/// Ctrl-C ends the loop in good order.
class LoopReporter final : public FarmObserver {
 public:
  explicit LoopReporter(const OwnOptions& options) : options_(options) {}

  /// Throws UsageError if an output cannot be written.
  void begins(const Job& job) override {
    report_.emplace(options_, options_.name, std::string(job.iteration_name()));
    open_page();
  }
  void described(const JobDescription& job) override { job_ = job; }
  RunControls controls(Workload& workload, const RunControls& given) override;
  void ended(RunRecord& record, Job& job) override;

 private:
  void open_page();
  std::function<void(const LoopStatus&)> on_status(std::function<void(const LoopStatus&)> given);
  void expect(Workload& workload) const;

  const OwnOptions& options_;
  std::optional<JobDescription> job_;  // on the master
  std::optional<RunReport> report_;    // on the master
  std::optional<StatusPage> page_;     // on the master, with --status
  std::optional<double> rest_s_;       // forecast
  const std::atomic<bool>& interrupted_ = watch_interruptions();
  const std::atomic<bool>& draining_ = watch_drain(options_.drain_on);
};

/// Adds loadshare's own callbacks to those of the loop's caller.
RunControls LoopReporter::controls(Workload& workload, const RunControls& given) {
  expect(workload);
  return {
      .on_progress =
          [this, given](const LoopProgress& loop) {
            if (given.interrupted != nullptr && given.interrupted->load())
              throw Error(ExitCode::interrupted, "interrupted", "by the program");
            rest_s_ = options_.forecast->remaining_s(loop);
            report_->progress({loop.now_s, loop.done, loop.iterations, rest_s_, loop.iterations_in_work()});
            if (given.on_progress) given.on_progress(loop);
          },
      .on_status = on_status(given.on_status),
      .on_note =
          [this, given](const std::string& note) {
            report_->note(note);
            if (given.on_note) given.on_note(note);
          },
      .interrupted = &interrupted_,
      .draining = &draining_,
      .measures_width_cost = true};
}

std::function<void(const LoopStatus&)> LoopReporter::on_status(std::function<void(const LoopStatus&)> given) {
  if (!page_) return given;
  return [this, given = std::move(given)](const LoopStatus& status) {
    page_->show({options_.name, status, rest_s_});
    if (given) given(status);
  };
}

/// Opens one page for all loops of a run.
void LoopReporter::open_page() {
  if (page_ || options_.farm.network.status.empty()) return;
  page_.emplace(options_.farm.network.status, options_.farm.network);
  page_->show({.app = options_.name, .loop = {}});
  report_->note("status at " + page_->url());
  if (const std::string hint = page_->hint(); !hint.empty()) report_->note(hint);
}

/// Returns how the job is distributed, as far as it distinguishes runs.
std::string way_of(const FarmOptions& farm) {
  const bool is_tcp = !farm.network.listen.empty();
  const char* way = is_tcp ? "tcp" : detect_launch().is_mpi ? "ranks" : "threads";
  return fmt::format("{} of {}, master {} {}, prefetch {}, {}, {}, load {}", way, farm.ranks_per_host,
                     name_among(master_modes, farm.master), farm.master_rank, farm.prefetch,
                     farm.reissue == Reissue::on ? "reissue" : "no reissue",
                     name_among(wait_policies, farm.wait), farm.load);
}

/// Gives the loop's description to the forecast.
void LoopReporter::expect(Workload& workload) const {
  const Chunk all{0, workload.iterations()};
  const auto iterations = static_cast<double>(std::max<Index>(1, all.size));
  const std::string way = way_of(options_.farm);
  LoopIdentity loop{.program = options_.name,
                    .job = job_ ? job_->identity() + " by " + way : "",
                    .transport = way.starts_with("ranks") ? "mpi" : way.substr(0, way.find(' ')),
                    .hosts = {},
                    .iterations = all.size,
                    .options = options_.own,
                    .parameters = job_ ? job_->lasting() : std::map<std::string, std::string>()};
  options_.forecast->set_loop(std::move(loop),
                              {.iterations = all.size,
                               .prefetch = static_cast<std::size_t>(options_.farm.prefetch),
                               .reissue = options_.farm.reissue,
                               .input_each = static_cast<double>(workload.input_bytes(all)) / iterations,
                               .result_each = static_cast<double>(workload.output_bytes(all)) / iterations,
                               .shared_bytes = static_cast<double>(workload.shared_input().size())});
}

void LoopReporter::ended(RunRecord& record, Job& job) {
  report_->end_progress();
  options_.forecast->add_to(record);
  const Verdict verdict = job.verify();
  const std::string name = job.result_name();
  if (interrupted_) throw Error(ExitCode::interrupted, "interrupted", "after " + name + " was computed");
  record.app = options_.name;
  record.options.insert(options_.own.begin(), options_.own.end());
  record.verified = verdict.is_right;
  job.tell(record);
  if (record.operations) *record.operations *= computed_share(record);
  if (verdict.is_right.value_or(true)) {
    report_->finish(record, [&] { job.store(); });
    return options_.forecast->keep(record);
  }
  record.notes.push_back("wrong: " + verdict.wrong);
  report_->finish(record);
  const std::string file = job.result_file();
  throw Error(ExitCode::run_failed, name + " is wrong in " + verdict.wrong + verdict.judge,
              file.empty() ? "" : file + " was not written");
}

}  // namespace

/// A farm that is lent to a body. The object stays at its address, so that later use through a kept reference
/// finds a closed farm.
class Lending final {
 public:
  explicit Lending(Farm farm) { place().emplace(std::move(farm)); }
  ~Lending() { farm().close(); }
  Lending(const Lending&) = delete;
  Lending& operator=(const Lending&) = delete;

  Farm& farm() { return *place(); }

 private:
  /// Never destroyed: releasing what ranks share waits for all ranks, and one may have called std::exit.
  static std::optional<Farm>& place() {
    static auto& farm = *new std::optional<Farm>();
    return farm;
  }
};

namespace {

/// The process whose command line contains the program's own options, if processes on other machines join.
enum class OwnWords { given_here, given_by_master };

void declare(CommandLineParser& parser, const Program& program, OwnOptions& options, OwnWords own) {
  if (program.options && own == OwnWords::given_here) {
    parser.add_own(program.options);
    parser.leave_unrecorded(program.unrecorded);
  }
  if (own == OwnWords::given_by_master) parser.leave_to_master(program.options);
  if (program.command_line) return program.command_line(parser, options);
  add_run_options(parser, options);
}

std::optional<OwnOptions> read_command_line(const std::vector<const char*>& words, const Program& program,
                                            OwnWords own) {
  OwnOptions options;
  options.has_own_output = program.has_own_output;
  options.name =
      program.name.empty() ? std::filesystem::path(words.front()).filename().string() : program.name;
  options.forecast = std::make_shared<RunForecast>(program.schedulers);
  CommandLineParser parser(
      options.name, farm_purpose(program.purpose, program.example.empty() ? options.name : program.example));
  declare(parser, program, options, own);
  if (!parser.parse(static_cast<int>(words.size()), words.data())) return std::nullopt;
  options.farm.network.words.assign(words.begin(), words.end());
  options.own = parser.own_values();
  const std::string own_words = parser.own_words();
  options.farm.journal.program = own_words.empty() ? options.name : options.name + " " + own_words;
  return options;
}

bool joins(const std::vector<const char*>& words) {
  return std::ranges::any_of(
      words, [](std::string_view word) { return word == "--join" || word.starts_with("--join="); });
}

/// Makes sure that one rank reports an error that several ranks may throw. The master reports it and ends all
/// ranks. Another rank waits for that, longer the higher its number, and reports the error itself if it is
/// still alive.
ErrorText reported_by_one_rank(ErrorText text, bool is_master) {
  const Launch launch = detect_launch();
  if (!launch.is_mpi || is_master) return text;
  be_ended_by_signals();  // mpirun ends the process by a signal
  std::this_thread::sleep_for(std::chrono::seconds(1) +
                              std::min(launch.rank, 100) * std::chrono::milliseconds(50));
  const std::string who = fmt::format("rank {}", launch.rank);
  if (!text.problem.starts_with(who)) text.problem = fmt::format("{}: {}", who, text.problem);
  return text;
}

/// Calls the body and reports what it throws once.
void call(const std::function<void(Farm&)>& body, Farm& farm) {
  const bool is_master = farm.is_master();
  const auto reported = [&](ErrorText text) { return reported_by_one_rank(std::move(text), is_master); };
  const std::string outside = "thrown by the program outside its loops";
  try {
    body(farm);
    farm.end();
    if (is_master && watch_interruptions())
      throw Error(ExitCode::interrupted, "interrupted", "after the program's loops had ended");
  } catch (const AgreedError&) {
    throw;
  } catch (const Error& error) {
    throw Error(error.code(), reported(error.text()));
  } catch (...) {
    throw Error(ExitCode::run_failed, reported({current_what(), outside, {}}));
  }
}

/// Reads the master's command line, because a process that joins runs the same program with the same options.
void take_masters_words(const Farm& farm, const Program& program) {
  std::vector<const char*> words;
  for (const std::string& word : farm.options().network.words) words.push_back(word.c_str());
  read_command_line(words, program, OwnWords::given_here);
}

}  // namespace

int run(int argc, char** argv, const std::function<void(Farm&)>& body, const Program& program) {
  return run_program([&] {
    static bool was_called = false;
    if (std::exchange(was_called, true))
      throw UsageError("loadshare::run was called again", "MPI can start only once in a process",
                       "run all loops in one body");
    const std::vector<const char*> words(argv, argv + argc);
    const OwnWords own = program.options && joins(words) ? OwnWords::given_by_master : OwnWords::given_here;
    const auto options = read_command_line(words, program, own);
    if (!options) return ExitCode::good;
    Lending lending(make_farm(*options));
    if (own == OwnWords::given_by_master) take_masters_words(lending.farm(), program);
    lending.farm().set_observer(std::make_shared<LoopReporter>(*options));
    call(body, lending.farm());
    return ExitCode::good;
  });
}

}  // namespace loadshare
