#include "apps/spmd/session.hpp"

#include <algorithm>
#include <limits>

#include "base/error.hpp"
#include "program/memory_check.hpp"
#include "runtime/farm/agreement.hpp"
#include "runtime/farm/program.hpp"
#include "runtime/host/clock.hpp"
#include "runtime/host/scheduling.hpp"
#include "runtime/transport/mpi/mpi_transport.hpp"

namespace loadshare::spmd {
namespace {

struct Span {
  double start_s = std::numeric_limits<double>::infinity();
  double finish_s = -std::numeric_limits<double>::infinity();
};

Span span_of(const std::vector<RankReport>& reports) {
  Span run;
  for (const RankReport& report : reports) {
    const Account& account = report.workers.front();
    run.start_s = std::min(run.start_s, account.start_s - report.clock_offset_s);
    run.finish_s = std::max(run.finish_s, account.end_s - report.clock_offset_s);
  }
  return run;
}

RankRecord peer_row(const RankReport& report, const Span& run, std::size_t sharing) {
  RankRecord row = row_of(report, Role::peer, sharing);
  const Account& account = report.workers.front();
  const double makespan_s = run.finish_s - run.start_s;
  const double apart_s = makespan_s - (account.end_s - account.start_s);
  row.worker = WorkerId{static_cast<std::uint32_t>(report.rank)};
  row.iterations = account.iterations;
  row.work = static_cast<double>(account.iterations);
  row.computing_s = account.computing_s;
  row.stolen_s = account.stolen_s;
  row.communicating_s = account.communicating_s + apart_s;
  row.unaccounted_s = makespan_s - row.computing_s - row.stolen_s - row.communicating_s;
  return row;
}

void add_host(std::vector<std::string>& hosts, const std::string& host) {
  if (std::ranges::find(hosts, host) == hosts.end()) hosts.push_back(host);
}

std::unique_ptr<BackgroundLoad> make_background_load(const std::string& load) {
  if (detect_launch().is_stray_task)
    throw UsageError("srun started several tasks that MPI does not connect",
                     "each of them would do all the work", "try srun --mpi=pmix");
  return load.empty() ? nullptr : std::make_unique<BackgroundLoad>(load);
}

std::unique_ptr<Transport> make_transport(const Options& options) {
  require_agreement({own_program(), options.values});
  return make_mpi_transport({});
}

std::vector<RankReport> decode(const std::vector<std::string>& texts) {
  std::vector<RankReport> reports;
  for (const std::string& text : texts) {
    reports.push_back(report_of_rank(static_cast<int>(reports.size()), text));
    reports.back().workers.resize(1);
  }
  return reports;
}

}  // namespace

RunRecord build_record(const std::vector<RankReport>& reports) {
  const Span run = span_of(reports);
  RunRecord record;
  record.workers = static_cast<Index>(reports.size());
  record.makespan_s = run.finish_s - run.start_s;
  record.is_idle_known = false;
  record.binding = binding_of(reports);
  for (const RankReport& report : reports) {
    const auto sharing = std::ranges::count(reports, report.host, &RankReport::host);
    record.ranks.push_back(peer_row(report, run, static_cast<std::size_t>(sharing)));
    record.iterations += record.ranks.back().iterations;
    add_host(record.hosts, report.host);
  }
  return record;
}

Session::Session(const Options& options, const Identity& identity)
    : options_(options),
      identity_(identity),
      background_load_(make_background_load(options.load)),
      transport_(make_transport(options)),
      exchange_(clock_) {
  if (background_load_) background_load_->place(*transport_, MasterMode::works);
  on_first([&] { report_.emplace(options_.report, identity_.app, identity_.step_name); });
}

void Session::on_first(const std::function<void()>& action) {
  do_on_master(*transport_, action);
}

void Session::require_memory_for(Bytes bytes_a_rank, Bytes more, const std::string& what) {
  on_first([&] {
    const auto here = static_cast<Bytes>(transport_->local_ranks());
    require_memory(add_bytes(multiply_bytes(bytes_a_rank, here), more), what + ", on the first rank's host,",
                   "use a smaller " + identity_.size_option + ", or more hosts");
  });
}

void Session::progress(Index done, Index total) {
  if (report_) report_->progress({monotonic_s(), done, total});
}

Account Session::timed(const std::function<Index()>& part) {
  const PinnedThread pinned(background_load_ ? background_load_->cpu_of_worker(0) : std::nullopt);
  if (background_load_) background_load_->await_start();
  exchange_.mark(Mark::begin);
  clock_ = {};
  Account account;
  account.start_s = monotonic_s();
  account.iterations = part();
  account.end_s = monotonic_s();
  exchange_.mark(Mark::end);
  account.computing_s = clock_.computing_s();
  account.stolen_s = clock_.stolen_s();
  account.communicating_s = clock_.exchanging_s();
  return account;
}

RunRecord Session::run(const std::function<Index()>& part) {
  constexpr double forever_s = 1e9;
  if (background_load_) background_load_->arm(*transport_);
  exchange_.barrier();
  RankReport own = describe_process(rank());
  own.clock_offset_s = transport_->clock_offset_s();
  own.workers.push_back(timed(part));
  if (background_load_) own.loads = background_load_->stop();
  const std::vector<std::string> texts = transport_->to_master(encode(own), forever_s);
  if (!is_first()) return {};
  report_->end_progress();
  const std::vector<RankReport> reports = decode(texts);
  RunRecord record = build_record(reports);
  record.transport = transport_->name();
  record.versions = transport_->versions();
  record.versions["loadshare"] = LOADSHARE_VERSION;
  record.versions["compiler"] = __VERSION__;
  // Without chunks, the processor time that a rank got under the load is unknown.
  if (background_load_) add_load(record, background_load_->spec(), reports, WorkerNeeds::nothing);
  return record;
}

void Session::finish(RunRecord record, const Verdict& verdict) {
  on_first([&] {
    record.app = identity_.app;
    record.seed = options_.seed;
    record.verified = verdict.is_right;
    record.options["work"] = options_.work;
    if (!verdict.wrong.empty()) record.notes.insert(record.notes.begin(), verdict.wrong);
    report_->finish(record);
    if (!verdict.is_right.value_or(true)) throw Error(ExitCode::run_failed, verdict.wrong);
  });
}

}  // namespace loadshare::spmd
