#include "runtime/farm/farm.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>
#include <sstream>
#include <system_error>
#include <thread>
#include <typeinfo>
#include <utility>

#include "base/io/text.hpp"
#include "base/quantities.hpp"
#include "runtime/farm/agreement.hpp"
#include "runtime/farm/background_load.hpp"
#include "runtime/farm/data_job.hpp"
#include "runtime/farm/journalling.hpp"
#include "runtime/farm/master_loop.hpp"
#include "runtime/farm/program.hpp"
#include "runtime/farm/program_place.hpp"
#include "runtime/farm/record_builder.hpp"
#include "runtime/farm/width_cost.hpp"
#include "runtime/farm/worker_loop.hpp"
#include "runtime/host/cgroup_quota.hpp"
#include "runtime/host/scheduling.hpp"
#include "runtime/host/threads.hpp"
#include "runtime/transport/host_memory.hpp"
#include "runtime/transport/mpi/mpi_transport.hpp"
#include "runtime/transport/tcp/tcp_transport.hpp"
#include "runtime/transport/waiting.hpp"

namespace loadshare {

namespace {

std::size_t thread_workers(const FarmOptions& options) {
  return static_cast<std::size_t>(options.workers > 0 ? options.workers : granted_cores());
}

/// Whether this process has its number of workers from thread_workers(), and that is fewer than its
/// processors. Users choose the number of ranks.
bool follows_quota(const FarmOptions& options, const Transport& transport, const RankReport& own) {
  const bool has_default = options.workers == 0 && transport.name() != "mpi" && !own.workers.empty();
  return has_default && own.workers.size() < own.cpus.size();
}

std::unique_ptr<Transport> make_transport(const FarmOptions& options) {
  if (!options.network.join.empty()) return make_tcp_worker(options.network, thread_workers(options));
  if (!options.network.listen.empty())
    return make_tcp_master(options.network,
                           options.master == MasterMode::works ? thread_workers(options) : 0);
  if (detect_launch().is_mpi)
    return make_mpi_transport(
        {options.master, options.master_rank, options.ranks_per_host, options.network.patience_s});
  return make_thread_transport(thread_workers(options));
}

std::unique_ptr<BackgroundLoad> make_background_load(const FarmOptions& options) {
  if (options.load.empty()) return nullptr;
  return detect_launch().is_mpi ? std::make_unique<BackgroundLoad>(options.load)
                                : std::make_unique<BackgroundLoad>(options.load, thread_workers(options));
}

/// The same on every rank, and so found on every rank.
void check(Workload& workload) {
  if (!workload.shared_input().empty() && workload.shared_piece_bytes() == 0)
    throw UsageError("the pieces of the broadcast input have no bytes", "shared_piece_bytes() is 0",
                     "return at least 1, or keep the default");
  if (workload.iterations_at_once() < 1)
    throw UsageError("iterations_at_once() is " + std::to_string(workload.iterations_at_once()),
                     "it must be 1 or more");
}

std::string describe_loop(Workload& workload) {
  const Chunk all{0, workload.iterations()};
  return std::to_string(all.size) + " " + std::string(workload.iteration_name()) + " with " +
         std::to_string(workload.input_bytes(all)) + " bytes of input, " +
         std::to_string(workload.output_bytes(all)) + " of output and " +
         std::to_string(workload.shared_input().size()) + " of broadcast input in pieces of " +
         std::to_string(workload.shared_piece_bytes());
}

/// A workload of the caller's own making, whose result is the caller's affair, too.
class BareJob final : public Job {
 public:
  explicit BareJob(Workload& workload) : workload_(workload) {}

  std::string application() const override { return "a loop"; }
  std::string_view iteration_name() const override { return workload_.iteration_name(); }
  void describe(JobDescription& description) override {
    description.set("workload", std::string(typeid(workload_).name()));
  }
  Workload& make(const JobDescription&, Farm&) override { return workload_; }

 private:
  Workload& workload_;
};

/// Ends a word of a command line; none has it.
constexpr char word_end = '\0';

}  // namespace

class Farm::Impl {
 public:
  Impl(FarmOptions options, SchedulerTable schedulers)
      : options_(std::move(options)), schedulers_(std::move(schedulers)) {
    check_options(options_);
    const FarmOptions typed = options_;
    options_.scheduler = schedulers_.parse(options_.scheduler).text();
    options_.on_failure = parse_failure_rule(options_.on_failure).text;
    if (options_.journal.is_used()) options_.network.may_come_back = true;
    options_.network.resumes = options_.journal.resumes;
    background_load_ = make_background_load(options_);  // before there are threads, MPI's among them
    if (detect_launch().is_mpi) require_agreement(terms_of(options_, typed));
    // Before anybody is let in, or started, for a run that its journal refuses.
    if (options_.journal.is_used() && !detect_launch().is_mpi) journal_.emplace(options_.journal);
    if (journal_ && !options_.network.listen.empty()) take_longest_lease();
    transport_ = make_transport(options_);
    if (background_load_) background_load_->place(*transport_, options_.master);
    known_workers_ = known_workers(*transport_);
    if (transport_->comes_and_goes()) take_masters_options();
    do_on_master(*transport_, [&] {
      if (options_.journal.is_used() && !journal_) journal_.emplace(options_.journal);
    });
  }

  /// Workers of a master that is resumed may still compute under a longer lease.
  void take_longest_lease() {
    NetworkOptions& network = options_.network;
    const double longest_s = journal_->longest_lease_s(network.lease_s);
    if (longest_s > network.lease_s)
      network.note("--lease " + duration_text(network.lease_s) +
                   " is not used, because an earlier master of this journal had " + duration_text(longest_s) +
                   ", which applies");
    network.lease_s = std::max(longest_s, network.lease_s);
  }

  const FarmOptions& options() const { return options_; }
  Transport& transport() { return *transport_; }
  void set_observer(std::shared_ptr<FarmObserver> observer) { observer_ = std::move(observer); }

  void depends_on(std::span<const std::byte> bytes) { depends_ = content_hash(bytes, depends_); }
  void set_copies(Copies copies) { demanded_ = copies; }

  RunRecord run(Job& job, Farm& farm, const RunControls& given = {}) {
    place_.begin_loop(*transport_, options_.reissue);
    do_on_master(*transport_, [&] { observer_->begins(job); });
    std::string identity;
    const JobDescription description = tell(job, identity);
    Workload& workload = job.make(description, farm);
    do_on_master(*transport_, [&] { job.fill(); });
    RunRecord record = run(workload, observer_->controls(workload, given), identity);
    do_on_master(*transport_, [&] { observer_->ended(record, job); });
    return record;
  }

  RunRecord run(const DataLoop& loop, Farm& farm) {
    if (!scratch_) scratch_.emplace(*transport_);
    DataJob job(loop, *transport_, *scratch_);
    RunRecord record = run(job, farm);
    job.deliver();
    return record;
  }

  void end() const { place_.end(*transport_, options_.reissue); }
  void require_no_loop() const { place_.require_no_loop(); }

 private:
  /// `job`: what tells it from others besides the workload; on the master.
  RunRecord run(Workload& workload, const RunControls& controls, const std::string& job) {
    const ProgramPlace::InLoop in_loop(place_);
    check(workload);
    require_masters_loop(workload);
    std::unique_ptr<Dispatcher> dispatcher;
    std::unique_ptr<LoopJournal> journal;  // null: none is kept, or another rank is the master
    do_on_master(*transport_, [&] {
      if (journal_)
        journal = open_journal(*journal_, {options_.journal.program, job, describe_loop(workload), depends_},
                               workload);
      check_copies(options_.reissue, copies());
      if (!journal || !journal->open().empty())
        transport_->gather(controls.interrupted, controls.draining, copies());
      dispatcher = make_dispatcher(workload, journal.get());
    });
    const RunPlan plan{.iterations = workload.iterations(),
                       .prefetch = static_cast<std::size_t>(options_.prefetch),
                       .wait = wait_policy(),
                       .landing = landing(),
                       .patience_s = patience_s(),
                       .interrupted = controls.interrupted,
                       .lease_s = copies() == Copies::never ? options_.network.lease_s : 0};
    const std::unique_ptr<Session> session = transport_->open(plan, workload);
    std::unique_ptr<MasterLoop> master;
    if (session->master() != nullptr)
      master = std::make_unique<MasterLoop>(
          *session->master(), *dispatcher, plan.prefetch, controls, std::string(workload.iteration_name()),
          known_workers_, journal.get(), [&workload](Chunk chunk) { return workload.work(chunk); });
    if (background_load_) background_load_->arm(*transport_);
    const Served served = serve(*session, master.get(), workload);
    std::optional<JournalRecord> kept;
    if (journal) {
      kept = journal->close();
      master->tell_of_journal();
    }
    RunRecord record = finish(workload, served, master.get(), *session);
    record.journal = kept;
    if (master)
      past_runs_.insert_or_assign(workload.kind(), PastRun{size_of(workload), dispatcher->learned()});
    if (master && controls.measures_width_cost) add_width_cost(record, workload, *session);
    return record;
  }

  /// What this process brings back from a run.
  struct Served {
    RankReport report;
    std::string outcome;  ///< on the master
  };

  /// What tells a loop from another of the same kind.
  struct LoopSize {
    Index iterations = 0;
    std::size_t input_bytes = 0;
    std::size_t output_bytes = 0;
    friend bool operator==(const LoopSize&, const LoopSize&) = default;
  };
  /// What was learned when a loop last ran.
  struct PastRun {
    LoopSize loop;
    Learned learned;
  };

  static LoopSize size_of(const Workload& workload) {
    const Chunk all{0, workload.iterations()};
    return {all.size, workload.input_bytes(all), workload.output_bytes(all)};
  }

  /// The master's description of the job, on every rank; what tells it from others, on the master.
  JobDescription tell(Job& job, std::string& identity) {
    std::string text;
    do_on_master(*transport_, [&] {
      JobDescription description(job.application());
      job.describe(description);
      observer_->described(description);
      text = description.encode();
      identity = description.identity();
    });
    JobDescription description = JobDescription::decode(transport_->from_master(text));
    if (description.application() != job.application())
      throw Error(ExitCode::usage,
                  "rank " + std::to_string(transport_->rank()) + " runs " + job.application(),
                  "the master runs " + description.application(), "start one program with one mpirun");
    return description;
  }

  /// A process that joins needs no options of its own.
  void take_masters_options() {
    std::string text = std::to_string(options_.prefetch) + word_end;
    for (const std::string& word : options_.network.words) text += word + word_end;
    std::istringstream said(transport_->from_master(text));
    std::string word;
    std::getline(said, word, word_end);
    const std::optional<Index> prefetch = parse_integer(word);
    if (!prefetch || *prefetch < 0)
      throw Error(ExitCode::run_failed, "the master's options cannot be read",
                  "its prefetch is '" + word + "'", "start the same program on both sides");
    options_.prefetch = *prefetch;
    for (options_.network.words.clear(); std::getline(said, word, word_end);)
      options_.network.words.push_back(word);
  }

  /// A rank with another loop would read and write where there is nothing.
  void require_masters_loop(Workload& workload) {
    const std::string own = describe_loop(workload);
    const std::string masters = transport_->from_master(own);
    if (own != masters)
      throw Error(ExitCode::usage, "rank " + std::to_string(transport_->rank()) + " runs another loop",
                  "it has " + own + ", the master's has " + masters,
                  "give every rank a workload of the same sizes");
  }

  /// Copies::never if the options or the program demand it.
  Copies copies() const { return options_.copies == Copies::never ? Copies::never : demanded_; }

  /// If a worker may be gone, results land aside, because others may get its chunk, too.
  bool may_lack_some() const { return options_.reissue == Reissue::on || transport_->comes_and_goes(); }
  Landing landing() const { return may_lack_some() ? Landing::aside : Landing::in_place; }

  /// Beside a load no thread has a core of its own.
  WaitPolicy wait_policy() const {
    return background_load_ && options_.wait == WaitPolicy::automatic ? WaitPolicy::nap : options_.wait;
  }

  void master_work(MasterLoop& master) const {
    const PinnedThread pinned(background_load_ ? background_load_->cpu_of_master() : std::nullopt);
    if (background_load_) background_load_->await_start();
    master.run();
  }

  std::unique_ptr<Dispatcher> make_dispatcher(const Workload& workload, const LoopJournal* journal) const {
    std::vector<Chunk> open{{0, workload.iterations()}};
    if (journal != nullptr) open = journal->open();
    LoopFacts loop{0, static_cast<Index>(transport_->workers_expected())};
    for (const Chunk range : open) loop.iterations += range.size;
    const auto past = past_runs_.find(workload.kind());
    if (past != past_runs_.end() && past->second.loop == size_of(workload))
      loop.learned = past->second.learned;
    loop.weights = known_workers_.shares;
    for (const WorkerName& name : known_workers_.names) loop.hosts.push_back(name.host);
    const FailureRule failures = parse_failure_rule(options_.on_failure);
    return std::make_unique<Dispatcher>(
        std::move(open), schedulers_.make(options_.scheduler, loop),
        DispatchRules{.reissue = options_.reissue,
                      .copies = copies(),
                      .landing = landing(),
                      .on_failure = failures.on_failure,
                      .retries = failures.retries,
                      .crash_limit = static_cast<std::uint8_t>(options_.crash_limit),
                      .patience_s = stranded_patience_s(),
                      .workers_expected = loop.workers});
  }

  /// Runs this process's part. The calling thread, which opened the session, runs the master's loop or
  /// carries messages, and the workers compute on threads of their own; a rank that only computes does so on
  /// the calling thread.
  Served serve(Session& session, MasterLoop* master, Workload& workload) {
    Served served;
    served.report = describe_process(transport_->rank());
    served.report.wait = name_among(wait_policies, session.wait_policy());
    served.report.way = workload.way();
    const auto ends = session.workers();
    served.report.workers.resize(ends.size());
    served.report.follows_quota = follows_quota(options_, *transport_, served.report);
    std::vector<char> thinned(ends.size());
    ChildTime children(ends.size());
    const auto work = [&](std::size_t i) {
      or_end_all_ranks([&] {
        const PinnedThread pinned(background_load_ ? background_load_->cpu_of_worker(i) : std::nullopt);
        WorkerLoop loop(*ends[i], workload, options_.prefetch, children);
        served.report.workers[i] = loop.run();
        thinned[i] = loop.has_thinned();
      });
    };
    const bool is_busy = master != nullptr || session.needs_pump();
    std::vector<std::jthread> threads;
    if (is_busy) start_workers(session, threads, work);
    std::optional<PunctualWaking> punctual;
    if (is_busy) punctual.emplace();  // after the workers' threads, which would inherit short turns
    if (master != nullptr) served.outcome = outcome_of([&] { master_work(*master); });
    if (session.needs_pump()) served.report.carrying_cpu_s = pump(session);
    if (!is_busy && !ends.empty()) work(0);
    threads.clear();
    served.report.clock_offset_s = transport_->clock_offset_s();  // a longer run knows better
    if (background_load_) served.report.loads = background_load_->stop();
    served.report.has_thinned = std::ranges::any_of(thinned, [](char is) { return is != 0; });
    return served;
  }

  /// An error of what carries messages must not propagate: the other threads of this rank would wait for
  /// ever for what they were to bring.
  template <class Carry>
  static void or_end_all_ranks(Carry&& carry) {
    try {
      carry();
    } catch (...) {
      end_all_ranks(current_error());
    }
  }

  /// Returns the processor time that it took.
  static double pump(Session& session) {
    const double cpu_before_s = thread_cpu_s();
    or_end_all_ranks([&] { session.pump(); });
    return thread_cpu_s() - cpu_before_s;
  }

  /// Starts a thread for each worker. If the system grants no more threads, those already started are
  /// stopped. Otherwise they would wait forever for work, and so would the thread that joins them.
  template <class Work>
  static void start_workers(Session& session, std::vector<std::jthread>& threads, const Work& work) {
    const std::size_t count = session.workers().size();
    try {
      while (threads.size() < count) threads.emplace_back(work, threads.size());
    } catch (...) {
      session.master() != nullptr ? session.master()->stop() : session.leave();
      throw_too_few(threads.size(), count);
    }
  }

  /// Only within the `catch` block of the exception that kept the next thread from starting.
  [[noreturn]] static void throw_too_few(std::size_t started, std::size_t wanted) {
    try {
      throw;
    } catch (const std::system_error& error) {
      throw Error(ExitCode::run_failed,
                  "only " + std::to_string(started) + " of " + std::to_string(wanted) +
                      " worker threads could be started",
                  why_no_thread(error), "use fewer --workers");
    }
  }

  RunRecord finish(Workload& workload, const Served& served, MasterLoop* master, Session& session) {
    const std::vector<std::string> texts = transport_->to_master(encode(served.report), patience_s());
    throw_if_failed(transport_->from_master(served.outcome));
    if (master == nullptr) return {};
    const std::vector<RankReport> reports = decode(texts);
    return build_record({options_, copies(), *transport_, workload, reports, *master,
                         session.master()->shared_input_done_s(),
                         background_load_ ? &background_load_->spec() : nullptr});
  }

  /// Iterations are computed again only if the workload allows it and a worker of this process has all that
  /// is needed.
  static void add_width_cost(RunRecord& record, Workload& workload, Session& session) {
    if (!workload.uses_processor()) return;
    if (!workload.is_repeatable()) record.width_cost = width_cost_of(record);
    if (!workload.is_repeatable() || session.workers().empty()) return;
    WorkerEnd& worker = *session.workers().front();
    if (worker.shared_input().is_complete())
      record.width_cost = measure_width_cost(workload, worker.worker(), record);
  }

  /// Seconds that the master waits at the run's end for the last messages, and then for the ranks' reports.
  /// If workers may be gone, a run does not depend on its slowest one, and its end must not either. A rank
  /// that was stopped may delay a result by no more than a second beyond its chunk's time.
  double patience_s() const {
    constexpr double grace_s = 0.4;
    return may_lack_some() ? grace_s : RunPlan::forever_s;
  }

  /// How long the loop waits with nobody there: others may come, or not.
  double stranded_patience_s() const {
    return transport_->comes_and_goes() ? options_.network.patience_s : 0;
  }

  /// The ranks' reports. If a rank did not answer, or its answer cannot be read, its report is empty and says
  /// so. A run that has finished does not fail because of it.
  std::vector<RankReport> decode(const std::vector<std::string>& texts) const {
    std::vector<RankReport> reports;
    for (const std::string& text : texts) {
      const Whereabouts sender = transport_->whereabouts(reports.size());
      const std::optional<RankReport> report = text.empty() ? std::nullopt : decode_rank_report(text, sender);
      reports.push_back(report ? *report : absent(sender));
      if (!report && !text.empty()) reports.back().unreadable_from = name_of(sender);
    }
    return reports;
  }
  static std::string name_of(const Whereabouts& sender) {
    if (sender.host.empty()) return "rank " + std::to_string(sender.rank);
    return sender.host + " (" + sender.address + ")";
  }
  static RankReport absent(const Whereabouts& known) {
    RankReport report = absent_rank(known.rank, known.host, known.workers);
    report.clock_offset_s = known.clock_offset_s;
    return report;
  }

  FarmOptions options_;
  SchedulerTable schedulers_;
  std::unique_ptr<BackgroundLoad> background_load_;  // nothing: no load was asked for
  std::unique_ptr<Transport> transport_;
  KnownWorkers known_workers_;  // on the master
  std::optional<SharedScratch> scratch_;
  std::optional<Journal> journal_;     // on the master
  std::uint64_t depends_ = 0;          // content_hash of what its loops' results follow from besides
  Copies demanded_ = Copies::allowed;  // by the program, for its loops
  std::shared_ptr<FarmObserver> observer_ = std::make_shared<FarmObserver>();
  std::map<std::string, PastRun> past_runs_;  // the latest of each kind of workload; on the master
  ProgramPlace place_;
};

void FarmObserver::ended(RunRecord& record, Job& job) {
  const Verdict verdict = job.verify();
  record.verified = verdict.is_right;
  job.tell(record);
  if (verdict.is_right.value_or(true)) return job.store();
  throw Error(ExitCode::run_failed, job.result_name() + " is wrong in " + verdict.wrong + verdict.judge);
}

Farm::Farm(FarmOptions options, SchedulerTable schedulers)
    : impl_(std::make_unique<Impl>(std::move(options), std::move(schedulers))) {}
Farm::~Farm() = default;
Farm::Farm(Farm&&) noexcept = default;

Farm::Impl& Farm::impl() const {
  if (is_closed_)  // MPI is over, too, and what would catch an exception in good order has returned
    std::exit(run_program([]() -> ExitCode {
      throw UsageError("the farm has ended", "the body that received it has returned",
                       "use it inside that body");
    }));
  if (!impl_) throw UsageError("this Farm object is empty", "it was moved to another one", "use that one");
  return *impl_;
}
void Farm::close() {
  impl_.reset();
  is_closed_ = true;
}
bool Farm::is_master() const {
  return impl().transport().is_master();
}
Index Farm::workers() const {
  return static_cast<Index>(impl().transport().workers());
}
const FarmOptions& Farm::options() const {
  return impl().options();
}
std::span<std::byte> Farm::resident_bytes(std::size_t bytes) {
  impl().require_no_loop();
  return impl().transport().resident(bytes);
}
std::span<std::byte> Farm::replicated_bytes(std::size_t bytes) {
  impl().require_no_loop();
  return impl().transport().replicated(bytes);
}
void Farm::depends_on(std::span<const std::byte> bytes) {
  impl().depends_on(bytes);
}
void Farm::set_copies(Copies copies) {
  impl().set_copies(copies);
}
void Farm::set_observer(std::shared_ptr<FarmObserver> observer) {
  impl().set_observer(std::move(observer));
}
RunRecord Farm::run(const DataLoop& loop) {
  return impl().run(loop, *this);
}
RunRecord Farm::run(Job& job) {
  return impl().run(job, *this);
}
RunRecord Farm::run(Workload& workload, const RunControls& controls) {
  BareJob job(workload);
  return impl().run(job, *this, controls);
}
void Farm::end() {
  impl().end();
}

}  // namespace loadshare
