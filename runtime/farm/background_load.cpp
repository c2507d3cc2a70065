#include "runtime/farm/background_load.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "base/io/process.hpp"
#include "base/io/text.hpp"
#include "base/quantities.hpp"
#include "runtime/farm/program.hpp"
#include "runtime/host/cgroup_quota.hpp"
#include "runtime/host/clock.hpp"
#include "runtime/host/scheduling.hpp"

namespace loadshare {
namespace {

/// Different ranks of a host take different processors, also where mpirun deals them out to its sockets in
/// turn. Where every rank has a host of its own, the hosts may still be made up and share one machine's
/// processors.
int place_number(const Transport& transport) {
  return transport.local_ranks() > 1 ? transport.number_on_cpus() : transport.rank();
}

int pick(const std::vector<int>& cpus, int number) {
  return cpus.empty() ? 0 : cpus[static_cast<std::size_t>(number) % cpus.size()];
}

/// What keeps a load from its rank may be so on one host alone, as where its trace is missing; all learn of
/// it. `outcome`: this rank's, as outcome_of has it. Collective.
void require_everywhere(Transport& transport, const std::string& outcome) {
  constexpr double forever_s = 1e9;
  std::vector<std::string> hosts, outcomes;
  for (const std::string& told : transport.to_master(host_name() + '\n' + outcome, forever_s)) {
    const std::size_t host_end = told.find('\n');
    hosts.push_back(told.substr(0, host_end));
    outcomes.push_back(told.substr(host_end + 1));
  }
  do_on_master(transport, [&] {
    const auto failed = std::ranges::find_if_not(outcomes, &std::string::empty);
    if (failed == outcomes.end()) return;
    if (std::ranges::count(outcomes, *failed) == std::ssize(outcomes)) throw_if_failed(*failed);
    const auto rank = static_cast<std::size_t>(failed - outcomes.begin());
    try {
      throw_if_failed(*failed);
    } catch (const Error& error) {
      ErrorText text = error.text();
      text.problem = fmt::format("rank {} on {}: {}", rank, hosts[rank], text.problem);
      if (text.suggestion.empty())
        text.suggestion = "compare this host with those of the other ranks, which succeeded";
      throw Error(error.code(), std::move(text));
    }
  });
}

/// A stretch of a worker's time and the processor time it got in it.
struct Stretch {
  double from_s;
  double to_s;
  double cpu_s;
};

std::vector<Stretch> chunks_of(WorkerId worker, std::span<const ChunkRecord> chunks) {
  std::vector<Stretch> own;
  for (const ChunkRecord& chunk : chunks)
    if (chunk.worker == worker) own.push_back({chunk.begun_s, chunk.ended_s, chunk.cpu_s});
  return own;
}

void extend_to_next(std::vector<Stretch>& own) {
  for (std::size_t i = 1; i < own.size(); ++i) own[i - 1].to_s = std::max(own[i - 1].to_s, own[i].from_s);
}

/// Sums over stretches.
struct Times {
  double on_s = 0;
  double off_s = 0;
  double cpu_s = 0;

  void add(const Stretch& stretch, double under_load_s) {
    on_s += under_load_s;
    off_s += stretch.to_s - stretch.from_s - under_load_s;
    cpu_s += stretch.cpu_s;
  }
};

constexpr double least_s = 0.05;

constexpr double least_on_s = 0.05;      // of a shorter time nothing is said
constexpr double most_share_off = 0.05;  // of what was asked for, before it is said
constexpr double most_late_s = 5e-3;

/// When the load was on during the run, for the trace; of a very long run the beginning only.
std::vector<LoadPhase> phases(const LoadPlan& plan, double makespan_s) {
  constexpr std::size_t most = 10'000;
  std::vector<LoadPhase> found;
  double at_s = 0;
  while (at_s < makespan_s && found.size() < most) {
    const auto next = plan.next_change(at_s);
    const double end_s = next ? std::min(next->at_s, makespan_s) : makespan_s;
    if (plan.share_at(at_s) > 0) found.push_back({at_s, end_s, plan.share_at(at_s)});
    at_s = end_s;
  }
  return found;
}

const RankRecord* row_of(const RunRecord& record, int rank) {
  const auto found = std::ranges::find(record.ranks, rank, &RankRecord::rank);
  return found == record.ranks.end() ? nullptr : &*found;
}

LoadedRank loaded_rank(const RunRecord& record, const LoadSpec& spec, const LoadReport& report,
                       const std::string& host) {
  const LoadPlan plan = spec.plan_for(report.rank);
  const LoadMeasure& measure = report.measure;
  LoadedRank rank;
  rank.rank = report.rank;
  rank.host = host;
  rank.cpu = report.cpu;
  rank.capacity = report.capacity;
  rank.phase_s = plan.phase_s();
  rank.share_asked = measure.on_s > 0 ? measure.asked_s / measure.on_s : plan.most_share();
  if (measure.on_s > 0) rank.share_taken = measure.cpu_s / (report.capacity * measure.on_s);
  rank.cpu_s = measure.cpu_s;
  rank.on_s = measure.on_s;
  rank.late_p99_s = measure.late_p99_s;
  rank.late_max_s = measure.late_max_s;
  rank.cycles = measure.cycles;
  rank.phases = phases(plan, record.makespan_s);
  return rank;
}

// Where short chunks went untimed, or their processor time unread, what is left would not tell.
void measure_worker(const RunRecord& record, const LoadSpec& spec, LoadedRank& rank) {
  const RankRecord* row = row_of(record, rank.rank);
  if (row == nullptr || !row->worker || record.is_thinned) return;
  rank.worker_share = worker_share(spec.plan_for(rank.rank), rank.capacity, *row->worker, record.chunks);
}

void note_shares(RunRecord& record, const LoadedRank& rank) {
  if (rank.on_s < least_on_s) return;
  if (std::abs(rank.share_taken - rank.share_asked) > most_share_off)
    record.notes.push_back(fmt::format(
        "the load on rank {} took {} of the processor while it was on, instead of the requested {}",
        rank.rank, percent_text(rank.share_taken), percent_text(rank.share_asked)));
  if (rank.worker_share && std::abs(*rank.worker_share - (1 - rank.share_asked)) > most_share_off)
    record.notes.push_back(fmt::format(
        "the worker of rank {} got {} of the processor while its load was on, instead of the intended {}",
        rank.rank, percent_text(*rank.worker_share), percent_text(1 - rank.share_asked)));
}

void note_lateness(RunRecord& record) {
  const auto& ranks = record.load->ranks;
  const auto worst = std::ranges::max_element(ranks, {}, &LoadedRank::late_p99_s);
  if (worst == ranks.end() || worst->late_p99_s <= most_late_s) return;
  record.notes.push_back(fmt::format("the load on rank {} began and ended up to {} late (99th percentile)",
                                     worst->rank, duration_text(worst->late_p99_s)));
}

}  // namespace

BackgroundLoad::BackgroundLoad(std::string_view spec) : cpus_(allowed_cpus()) {
  failure_ = outcome_of([&] {
    spec_ = parse_load_spec(spec);
    loaded_.push_back({0, 0, std::make_unique<LoadProcess>(spec_), {}});
  });
}

BackgroundLoad::BackgroundLoad(std::string_view spec, std::size_t workers)
    : spec_(parse_load_spec(spec)), cpus_(allowed_cpus()) {
  const int count = static_cast<int>(workers);
  require_ranks(spec_, count + 1);
  const double capacity = capacity_of_one(count);
  for (int rank = 0; rank <= count; ++rank) {
    std::optional<std::size_t> worker;
    if (rank > 0) worker = static_cast<std::size_t>(rank - 1);
    if (!spec_.loads(rank, worker.has_value())) continue;
    const int number = rank > 0 ? rank - 1 : count;
    loaded_.push_back({rank, worker, std::make_unique<LoadProcess>(spec_), {pick(cpus_, number), capacity}});
  }
}

void BackgroundLoad::place(Transport& transport, MasterMode master) {
  if (!transport.has_ranks()) return;
  require_everywhere(transport, failure_);
  require_ranks(spec_, transport.ranks());
  const bool computes = !transport.is_master() || master == MasterMode::works || transport.ranks() == 1;
  if (!spec_.loads(transport.rank(), computes)) return loaded_.clear();
  Loaded& here = loaded_.front();
  here.rank = transport.rank();
  if (!computes) here.worker.reset();
  here.place = {pick(cpus_, place_number(transport)), capacity_of_one(transport.local_ranks())};
}

std::optional<int> BackgroundLoad::cpu_of(std::optional<std::size_t> worker) const {
  const auto found = std::ranges::find(loaded_, worker, &Loaded::worker);
  return found == loaded_.end() ? std::nullopt : std::optional(found->place.cpu);
}

std::optional<int> BackgroundLoad::cpu_of_worker(std::size_t worker) const {
  return cpu_of(worker);
}

std::optional<int> BackgroundLoad::cpu_of_master() const {
  return cpu_of(std::nullopt);
}

void BackgroundLoad::arm(Transport& transport) {
  const double lead_s = transport.ranks() > 1 ? 20e-3 : 2e-3;
  const std::string master_s = transport.from_master(fmt::format("{}", monotonic_s() + lead_s));
  const std::optional<double> said_s = parse_number(master_s);
  if (!said_s)
    throw Error(ExitCode::run_failed, "the master's start time of the load cannot be read",
                "it is '" + master_s + "'", "start the same program on all ranks");
  zero_s_ = *said_s + transport.clock_offset_s();
  for (const Loaded& one : loaded_) one.process->arm(one.rank, one.place, zero_s_);
}

void BackgroundLoad::await_start() const {
  const double left_s = zero_s_ - monotonic_s();
  if (left_s > 0) std::this_thread::sleep_for(std::chrono::duration<double>(left_s));
}

std::vector<LoadReport> BackgroundLoad::stop() {
  std::vector<LoadReport> reports;
  for (const Loaded& one : loaded_) {
    const std::optional<LoadMeasure> measure = one.process->stop();
    reports.push_back({one.rank, one.place.cpu, one.place.capacity, !measure, measure.value_or(LoadMeasure{}),
                       one.process->trouble()});
  }
  return reports;
}

std::optional<double> worker_share(const LoadPlan& plan, double capacity, WorkerId worker,
                                   std::span<const ChunkRecord> chunks) {
  const bool is_limited = capacity < 1;
  std::vector<Stretch> own = chunks_of(worker, chunks);
  if (is_limited) extend_to_next(own);
  Times loaded, free;
  for (const Stretch& stretch : own) {
    const double under_load_s = plan.dose(stretch.from_s, stretch.to_s).on_s;
    (under_load_s > 0 ? loaded : free).add(stretch, under_load_s);
  }
  if (loaded.on_s < least_s || capacity <= 0) return std::nullopt;
  const bool is_free_known = free.off_s >= least_s && free.cpu_s > 0;
  const double free_share = is_free_known ? free.cpu_s / free.off_s : capacity;
  const double got_s = loaded.cpu_s - free_share * loaded.off_s;
  if (got_s < 0) return std::nullopt;  // others took more of the time without load than was reckoned with
  return std::min(got_s / loaded.on_s / (is_limited ? free_share : capacity), 1.0);
}

void add_load(RunRecord& record, const LoadSpec& spec, const std::vector<RankReport>& reports,
              WorkerNeeds needs) {
  record.load.emplace().spec = spec.text;
  for (const RankReport& report : reports) {
    for (const LoadReport& load : report.loads) {
      if (load.is_lost) {
        record.notes.push_back(fmt::format("the load process of rank {} ended before the run{}", load.rank,
                                           load.trouble.empty() ? "" : " (" + load.trouble + ")"));
        continue;
      }
      record.load->ranks.push_back(loaded_rank(record, spec, load, report.host));
      if (needs == WorkerNeeds::processor) measure_worker(record, spec, record.load->ranks.back());
      note_shares(record, record.load->ranks.back());
    }
  }
  note_lateness(record);
}

}  // namespace loadshare
