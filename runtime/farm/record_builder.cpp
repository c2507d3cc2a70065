#include "runtime/farm/record_builder.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "base/io/text.hpp"
#include "runtime/farm/background_load.hpp"
#include "runtime/farm/stays.hpp"

namespace loadshare {
namespace {

RankRecord worker_row(const RankReport& report, const Account& account, WorkerId worker,
                      const MasterLoop& master, const RunSpan& run, std::size_t sharing) {
  RankRecord row = row_of(report, Role::worker, sharing);
  row.rank = static_cast<int>(master.name_of(worker).rank);
  row.worker = worker;
  row.chunks = master.contribution(worker).chunks;
  row.iterations = master.contribution(worker).iterations;
  row.coordinating_cpu_s = report.carrying_cpu_s;
  if (!report.is_absent) fill_times(row, account, report.clock_offset_s, run);
  return row;
}

RankRecord master_row(const RankReport& report, const MasterLoop& master, const RunSpan& run,
                      std::size_t sharing) {
  RankRecord row = row_of(report, Role::master, sharing);
  row.idle_s = master.account().idle_s;
  row.communicating_s = master.account().communicating_s;
  row.unaccounted_s = run.length_s() - row.idle_s - row.communicating_s;
  row.coordinating_cpu_s = master.account().waiting_cpu_s;
  return row;
}

/// The workers on the host of `report`, or its ranks where there are more: what a quota is shared by.
std::size_t sharing_quota(const RankReport& report, const std::vector<RankReport>& reports) {
  std::size_t ranks = 0, workers = 0;
  for (const RankReport& other : reports) {
    if (other.host != report.host) continue;
    ++ranks;
    workers += other.workers.size();
  }
  return std::max(ranks, workers);
}

// A rank that is master and worker has one row, the worker's; where a process has several workers they have a
// row each. In an elastic farm, workers may join this loop in another order than the master.
std::vector<RankRecord> rank_rows(const RunOutcome& outcome, const std::vector<RankReport>& reports,
                                  const RunSpan& run) {
  std::vector<RankRecord> rows;
  std::uint32_t worker = 0;
  const bool has_row_a_rank = outcome.transport.has_ranks() && !outcome.transport.comes_and_goes();
  for (const RankReport& report : reports) {
    const bool is_master = report.rank == outcome.transport.master_rank();
    const bool has_own_row = is_master && (!has_row_a_rank || report.workers.empty());
    const std::size_t sharing = sharing_quota(report, reports);
    if (has_own_row) rows.push_back(master_row(report, outcome.master, run, sharing));
    for (const Account& account : report.workers) {
      rows.push_back(worker_row(report, account, WorkerId{worker++}, outcome.master, run, sharing));
      if (!is_master || !has_row_a_rank) continue;
      rows.back().role = Role::working_master;
      rows.back().coordinating_cpu_s = outcome.master.account().waiting_cpu_s;
    }
  }
  std::ranges::sort(rows, {}, &RankRecord::rank);
  return rows;
}

/// By worker: its clock ahead of the master's.
using Offsets = std::vector<double>;

// A short exchange of messages on a busy host can be off by more than a chunk takes; the run's own messages
// bound the error.
Offsets clock_offsets(std::vector<RankReport>& reports, const MeasuredChunks& chunks) {
  Offsets offsets;
  for (RankReport& report : reports) {
    const auto first = static_cast<std::uint32_t>(offsets.size());
    if (report.clock_offset_s != 0 && !report.workers.empty())
      report.clock_offset_s = chunks.of(WorkerId{first}).clock.corrected(report.clock_offset_s);
    offsets.insert(offsets.end(), report.workers.size(), report.clock_offset_s);
  }
  return offsets;
}

// The master's stamps count from the start; the worker's are shifted by its clock's offset too.
void align(std::vector<ChunkRecord>& chunks, const Offsets& offsets, const RunSpan& run) {
  for (ChunkRecord& chunk : chunks) {
    const double shift_s = offsets[to_number(chunk.worker)] + run.start_s;
    for (double* stamp_s : {&chunk.received_s, &chunk.begun_s, &chunk.ended_s}) *stamp_s -= shift_s;
    for (double* stamp_s : {&chunk.assigned_s, &chunk.returned_s}) *stamp_s -= run.start_s;
  }
}

std::map<std::string, OptionValue> options_in_force(const RunOutcome& outcome) {
  const FarmOptions& options = outcome.options;
  return {{"scheduler", options.scheduler},
          {"workers", static_cast<Index>(outcome.transport.workers())},
          {"master", name_among(master_modes, options.master)},
          {"master_rank", static_cast<Index>(options.master_rank)},
          {"prefetch", options.prefetch},
          {"wait", name_among(wait_policies, options.wait)},
          {"wait_in_force", outcome.reports[static_cast<std::size_t>(outcome.transport.master_rank())].wait},
          {"reissue", options.reissue == Reissue::on},
          {"copies", name_among(copies_rules, outcome.copies)},
          {"on_failure", options.on_failure},
          {"crash_limit", options.crash_limit},
          {"ranks_per_host", static_cast<Index>(options.ranks_per_host)}};
}

/// Whether its timed chunks account for all the time that the rank computed. They do not where it was still
/// computing a copy when the run ended, whose result nobody received.
bool is_all_of(const ChunkSums& chunks, const RankRecord& rank) {
  return rank.computing_s + rank.stolen_s + rank.blocked_s <= (1 + account_tolerance) * chunks.wall_s;
}

/// Sets each worker's work, in the application's units, from its chunks; copies whose results were dropped
/// count, as they were computed too. Does nothing if some chunks were not timed.
void add_work(RunRecord& record, const Workload& workload, const MeasuredChunks& chunks, bool are_all_timed) {
  if (!are_all_timed) return;
  std::map<WorkerId, double> listed;
  for (const ChunkRecord& chunk : record.chunks) listed[chunk.worker] += workload.work(chunk.chunk);
  for (RankRecord& rank : record.ranks)
    if (rank.worker && is_all_of(chunks.of(*rank.worker).all, rank))
      rank.work = listed[*rank.worker] + chunks.of(*rank.worker).unlisted_work;
}

/// The work in parts of the loop; empty where it is the number of iterations throughout.
std::vector<double> work_profile(const Workload& workload) {
  const Index iterations = workload.iterations();
  const Index part = LoopRecord::part_of(iterations);
  std::vector<double> work;
  bool is_uniform = true;
  for (Index first = 0; first < iterations; first += part) {
    const Chunk chunk{first, std::min(part, iterations - first)};
    work.push_back(workload.work(chunk));
    is_uniform = is_uniform && work.back() == static_cast<double>(chunk.size);
  }
  return is_uniform ? std::vector<double>{} : work;
}

LoopRecord loop_of(Workload& workload) {
  const Chunk all{0, workload.iterations()};
  return {static_cast<double>(workload.input_bytes(all)), static_cast<double>(workload.output_bytes(all)),
          static_cast<double>(workload.shared_input().size()),
          static_cast<double>(workload.shared_piece_bytes()), work_profile(workload)};
}

void count_waiting_as_computing(RunRecord& record) {
  for (RankRecord& rank : record.ranks) {
    rank.computing_s += rank.stolen_s + rank.blocked_s;
    rank.idle_s -= rank.blocked_s;
    rank.stolen_s = rank.blocked_s = 0;
  }
}

WorkerNeeds needs(const Workload& workload) {
  return workload.uses_processor() ? WorkerNeeds::processor : WorkerNeeds::nothing;
}

}  // namespace

// A worker stands ready before the run starts, hears of its end a little later, and a copy that nobody waits
// for may still be computed then: only what lies inside the run counts. On a busy host it may get a processor
// only when the others have done everything: then it was idle throughout.
void fill_times(RankRecord& row, const Account& account, double clock_offset_s, const RunSpan& run) {
  if (account.start_s - clock_offset_s >= run.finish_s) {
    row.idle_s = run.length_s();
    return;
  }
  const double begins_early_s = run.start_s - (account.start_s - clock_offset_s);
  const double last_end_s = account.last_end_s - clock_offset_s;
  const double computes_late_s = std::max(0.0, last_end_s - run.finish_s);
  const double idles_late_s = (account.end_s - clock_offset_s) - std::max(last_end_s, run.finish_s);
  const double busy_s = account.computing_s + account.stolen_s;
  const double share_inside = busy_s > 0 ? std::max(0.0, 1 - computes_late_s / busy_s) : 0;
  row.computing_s = account.computing_s * share_inside;
  row.stolen_s = (account.stolen_s - account.blocked_s) * share_inside;
  row.blocked_s = account.blocked_s * share_inside;
  // Who was idle for less than it was there outside the run got something then, for a loop that was over.
  const double idle_s = account.idle_s - begins_early_s - idles_late_s;
  row.communicating_s = std::max(0.0, account.communicating_s + std::min(0.0, idle_s));
  row.idle_s = std::max(0.0, idle_s) + row.blocked_s;
  row.waiting_cpu_s = account.waiting_cpu_s;
  row.unaccounted_s = run.length_s() - row.computing_s - row.stolen_s - row.communicating_s - row.idle_s;
}

/// As its rows are called.
std::string row_names(const RankReport& report, const RunRecord& record, std::size_t first_worker) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < report.workers.size(); ++i) {
    const WorkerId worker{static_cast<std::uint32_t>(first_worker + i)};
    const auto row = std::ranges::find(record.ranks, std::optional(worker), &RankRecord::worker);
    if (row != record.ranks.end()) names.push_back("rank " + std::to_string(row->rank));
  }
  return names.empty() ? "rank " + std::to_string(report.rank) : fmt::format("{}", fmt::join(names, ", "));
}

/// By its last step.
std::string_view fate_of(WorkerId worker, const RunRecord& record) {
  std::string_view fate = "had not answered when the run ended";
  if (!record.membership) return fate;
  for (const MemberEvent& event : record.membership->events) {
    if (event.worker != worker) continue;
    if (event.what == MemberEvent::What::left) fate = "left";
    if (event.what == MemberEvent::What::lost) fate = "was lost";
  }
  return fate;
}

/// The note about a process that did not report its times, or not in a way that can be read.
std::string absence_note(const RankReport& report, const RunRecord& record, std::size_t first_worker) {
  const WorkerId worker{static_cast<std::uint32_t>(first_worker)};
  const auto row = std::ranges::find(record.ranks, std::optional(worker), &RankRecord::worker);
  const bool is_known = row != record.ranks.end() && row->away_s < record.makespan_s;
  const std::string fate =
      report.unreadable_from.empty()
          ? std::string(fate_of(worker, record))
          : fmt::format("sent a report that cannot be read, from {}", report.unreadable_from);
  return fmt::format("{} {}; {}", row_names(report, record, first_worker), fate,
                     is_known ? "only the times of its chunks are known" : "its times are unknown");
}

void add_hosts(RunRecord& record, const std::vector<RankReport>& reports, int master_rank) {
  const std::string& usual = reports[static_cast<std::size_t>(master_rank)].way;
  std::set<std::string> hosts;
  std::size_t first_worker = 0;
  for (const RankReport& report : reports) {
    const std::size_t first = std::exchange(first_worker, first_worker + report.workers.size());
    if (report.is_absent) {
      record.notes.push_back(absence_note(report, record, first));
    } else if (hosts.insert(report.host).second) {
      record.hosts.push_back(report.host);
      if (report.way != usual)
        record.notes.push_back(report.host + " computes in another way than the master: " + report.way);
    }
  }
}

void add_quota_note(RunRecord& record, const std::vector<RankReport>& reports) {
  const auto first = std::ranges::find_if(reports, &RankReport::follows_quota);
  if (first == reports.end()) return;
  const auto others = std::count_if(first + 1, reports.end(), std::mem_fn(&RankReport::follows_quota));
  std::string note = fmt::format(
      "{} has {}, because its control group grants the time of {:.3g} of its {} processors", first->host,
      count_text(std::ssize(first->workers), "worker", "workers"), first->quota, first->cpus.size());
  if (others > 0)
    note += fmt::format("; the same holds for {} more", count_text(others, "process", "processes"));
  record.notes.push_back(note + " (--workers sets another number)");
}

/// Of workers that came and went, or did not tell their times.
void add_stays(RunRecord& record, const std::vector<RankReport>& reports, const MeasuredChunks& measured,
               double start_s) {
  std::vector<Accounted> accounted;
  for (const RankReport& report : reports)
    accounted.insert(accounted.end(), report.workers.size(),
                     report.is_absent ? Accounted::not_at_all : Accounted::itself);
  const std::vector<MemberEvent> events =
      record.membership ? record.membership->events : std::vector<MemberEvent>{};
  for (RankRecord& row : record.ranks) {
    if (!row.worker) continue;
    WorkerChunks chunks = measured.of(*row.worker);
    chunks.last_return_s = std::max(0.0, chunks.last_return_s - start_s);
    fill_stays(row, accounted[to_number(*row.worker)], chunks, events, record.makespan_s);
  }
}

/// Only the account of a worker distinguishes stolen time from time that its bodies waited. A worker without
/// an account is given the share of waiting of the others. If no worker has one, all wall time beyond
/// processor time counts as waiting, so that the cost of an iteration is its wall time.
void divide_unknown_waiting(RunRecord& record, const std::vector<RankReport>& reports) {
  std::vector<bool> is_absent;
  for (const RankReport& report : reports)
    is_absent.insert(is_absent.end(), report.workers.size(), report.is_absent);
  const auto has_account = [&](const RankRecord& row) { return !is_absent[to_number(*row.worker)]; };
  double waited_s = 0, beyond_cpu_s = 0;
  for (const RankRecord& row : record.ranks) {
    if (!row.worker || !has_account(row)) continue;
    waited_s += row.blocked_s;
    beyond_cpu_s += row.blocked_s + row.stolen_s;
  }
  const double share = beyond_cpu_s > 0 ? waited_s / beyond_cpu_s : 1;
  for (RankRecord& row : record.ranks) {
    if (!row.worker || has_account(row)) continue;
    const double waiting_s = share * row.stolen_s;
    row.stolen_s -= waiting_s;
    row.blocked_s += waiting_s;
    row.idle_s += waiting_s;
  }
}

RunRecord build_record(const RunOutcome& outcome) {
  const RunSpan run{outcome.master.start_s(), outcome.master.finish_s()};
  RunRecord record;
  record.workers = static_cast<Index>(outcome.transport.workers());
  record.makespan_s = run.length_s();
  if (outcome.shared_input_done_s)  // who comes before the start may have it by then
    record.shared_input_s = std::clamp(*outcome.shared_input_done_s - run.start_s, 0.0, run.length_s());
  record.transport = outcome.transport.name();
  record.versions = outcome.transport.versions();
  record.versions["loadshare"] = LOADSHARE_VERSION;
  record.versions["compiler"] = __VERSION__;
  record.binding = binding_of(outcome.reports);
  record.options = options_in_force(outcome);
  MeasuredChunks& measured = outcome.master.chunks();
  const bool are_all_timed = std::ranges::none_of(outcome.reports, &RankReport::has_thinned);
  record.chunks = measured.take_listed();
  record.chunks_timed = measured.timed();
  record.is_thinned = !are_all_timed || std::ssize(record.chunks) < record.chunks_timed;
  std::vector<RankReport> reports = outcome.reports;
  align(record.chunks, clock_offsets(reports, measured), run);
  record.ranks = rank_rows(outcome, reports, run);
  record.chunks_total = outcome.master.chunks_total();
  record.skipped = outcome.master.take_skipped();
  const bool comes_and_goes = outcome.transport.comes_and_goes();
  if (outcome.options.reissue == Reissue::on || comes_and_goes) record.reissue = outcome.master.reissue();
  if (comes_and_goes) record.membership = outcome.master.membership();
  add_stays(record, reports, measured, run.start_s);
  divide_unknown_waiting(record, reports);
  add_hosts(record, outcome.reports, outcome.transport.master_rank());
  add_quota_note(record, outcome.reports);
  record.scheduler = outcome.options.scheduler;
  record.iterations = outcome.workload.iterations();
  record.iteration_name = outcome.workload.iteration_name();
  record.loop = loop_of(outcome.workload);
  add_work(record, outcome.workload, measured, are_all_timed);
  if (outcome.load != nullptr) add_load(record, *outcome.load, outcome.reports, needs(outcome.workload));
  if (!outcome.workload.uses_processor()) count_waiting_as_computing(record);
  for (std::string& note : outcome.transport.notes()) record.notes.push_back(std::move(note));
  return record;
}

}  // namespace loadshare
