#include "runtime/farm/load_record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "runtime/load/worker_share.hpp"
#include "runtime/timing/wording.hpp"

namespace loadshare {

namespace {

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
    record.notes.push_back(
        fmt::format("the load of rank {} took {} of its processor while on; {} was asked for", rank.rank,
                    percent_text(rank.share_taken), percent_text(rank.share_asked)));
  if (rank.worker_share && std::abs(*rank.worker_share - (1 - rank.share_asked)) > most_share_off)
    record.notes.push_back(
        fmt::format("the worker of rank {} got {} of its processor while its load was on; {} was asked for",
                    rank.rank, percent_text(*rank.worker_share), percent_text(1 - rank.share_asked)));
}

void note_lateness(RunRecord& record) {
  const auto& ranks = record.load->ranks;
  const auto worst = std::ranges::max_element(ranks, {}, &LoadedRank::late_p99_s);
  if (worst == ranks.end() || worst->late_p99_s <= most_late_s) return;
  record.notes.push_back(fmt::format("the load of rank {} came and went up to {} late (99th percentile)",
                                     worst->rank, duration_text(worst->late_p99_s)));
}

}  // namespace

void add_load(RunRecord& record, const LoadSpec& spec, const std::vector<RankReport>& reports,
              WorkerNeeds needs) {
  record.load.emplace().spec = spec.text;
  for (const RankReport& report : reports) {
    for (const LoadReport& load : report.loads) {
      if (load.is_lost) {
        record.notes.push_back(fmt::format("the load of rank {} ended before the run did", load.rank));
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
