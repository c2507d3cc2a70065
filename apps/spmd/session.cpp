#include "apps/spmd/session.hpp"

#include "apps/common/memory_check.hpp"
#include "apps/spmd/record.hpp"
#include "runtime/farm/agreement.hpp"
#include "runtime/farm/launch.hpp"
#include "runtime/farm/load_record.hpp"
#include "runtime/load/pinned_thread.hpp"
#include "runtime/timing/clock.hpp"
#include "runtime/transport/mpi/mpi_transport.hpp"
#include "schedulers/error.hpp"

namespace loadshare::spmd {

namespace {

std::unique_ptr<Disturbance> make_disturbance(const std::string& load) {
  if (detect_launch().is_stray_task)
    throw UsageError("srun started several tasks that MPI knows nothing of",
                     "each of them would do the whole work by itself", "try srun --mpi=pmix");
  return load.empty() ? nullptr : std::make_unique<Disturbance>(parse_load_spec(load));
}

std::vector<RankReport> decode(const std::vector<std::string>& texts) {
  std::vector<RankReport> reports;
  for (const std::string& text : texts) reports.push_back(decode_rank_report(text));
  return reports;
}

}  // namespace

Session::Session(const Options& options, const Identity& identity)
    : options_(options),
      identity_(identity),
      disturbance_(make_disturbance(options.load)),
      transport_(make_mpi_transport({})),
      exchange_(clock_) {
  if (disturbance_) disturbance_->settle(*transport_, MasterMode::works);
  on_first([&] { report_.emplace(options_.report, identity_.app, identity_.step_name); });
}

void Session::on_first(const std::function<void()>& action) {
  do_on_master(*transport_, action);
}

void Session::require_memory_for(Bytes bytes_a_rank, Bytes more, const std::string& what) {
  on_first([&] {
    const auto here = static_cast<Bytes>(transport_->local_ranks());
    require_memory(add_bytes(multiply_bytes(bytes_a_rank, here), more), what + ", on the first rank's host,",
                   "take a smaller " + identity_.size_option + ", or more hosts");
  });
}

void Session::progress(Index done, Index total) {
  if (report_) report_->progress({monotonic_s(), done, total});
}

Account Session::timed(const std::function<Index()>& part) {
  const PinnedThread pinned(disturbance_ ? disturbance_->cpu_of_worker(0) : std::nullopt);
  if (disturbance_) disturbance_->await_start();
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
  if (disturbance_) disturbance_->arm(*transport_);
  exchange_.barrier();
  RankReport own = describe_process(rank());
  own.clock_offset_s = transport_->clock_offset_s();
  own.workers.push_back(timed(part));
  if (disturbance_) own.loads = disturbance_->stop();
  const std::vector<std::string> texts = transport_->to_master(encode(own), forever_s);
  if (!is_first()) return {};
  report_->end_progress();
  const std::vector<RankReport> reports = decode(texts);
  RunRecord record = build_record(reports);
  record.transport = transport_->name();
  record.versions = transport_->versions();
  record.versions["loadshare"] = LOADSHARE_VERSION;
  record.versions["compiler"] = __VERSION__;
  // What a rank got beside its load is not known without chunks.
  if (disturbance_) add_load(record, disturbance_->spec(), reports, WorkerNeeds::nothing);
  return record;
}

void Session::finish(RunRecord record, const Verdict& verdict) {
  on_first([&] {
    record.app = identity_.app;
    record.seed = options_.seed;
    record.verified = verdict.is_right;
    record.options["work"] = options_.work;
    if (!verdict.wrong.empty()) record.notes.push_back(verdict.wrong);
    report_->tell(record);
    if (!verdict.is_right.value_or(true)) throw Error(ExitCode::run_failed, verdict.wrong);
  });
}

}  // namespace loadshare::spmd
