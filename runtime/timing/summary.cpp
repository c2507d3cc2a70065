#include "runtime/timing/summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "runtime/timing/summary_table.hpp"
#include "runtime/timing/wording.hpp"

namespace loadshare {
namespace {

constexpr int label_width = 12;
constexpr int least_width = 80;
/// Processor time burnt while waiting is worth a line from this share of all ranks' time on.
constexpr double burnt_share_to_tell = 0.02;

/// Where the workers' time went, as shares of workers x makespan; all 0 where no time passed.
struct Shares {
  double computing = 0;
  double stolen = 0;
  double communicating = 0;
  double idle = 0;
};

Shares worker_shares(const RunRecord& record) {
  Shares sum;
  double time_s = 0;
  for (const RankRecord& rank : record.ranks) {
    if (!rank.worker) continue;
    const TimesAtHostSpeed times = at_host_speed(rank);
    sum.computing += times.computing_s;
    sum.stolen += times.stolen_s;
    sum.communicating += times.communicating_s;
    sum.idle += times.idle_s;
    time_s += record.makespan_s;
  }
  if (time_s <= 0) return {};
  return {sum.computing / time_s, sum.stolen / time_s, sum.communicating / time_s, sum.idle / time_s};
}

/// Lines of a label and a text, the text broken to fit.
class Lines {
 public:
  explicit Lines(int width) : width_(width) {}

  void add(std::string_view label, std::string_view text) {
    text_ += wrapped(fmt::format("{:<{}}{}", label, label_width, text), width_, label_width) + "\n";
  }
  std::string take() { return std::move(text_); }

 private:
  int width_;
  std::string text_;
};

std::string title(const RunRecord& record) {
  const auto hosts =
      static_cast<Index>(std::set<std::string>(record.hosts.begin(), record.hosts.end()).size());
  const std::string app = record.app.empty() ? "" : record.app + ": ";
  const std::string who = has_master(record) ? fmt::format("by {} on {}", record.scheduler,
                                                           count_text(record.workers, "worker", "workers"))
                                             : "on " + count_text(record.workers, "rank", "ranks");
  return fmt::format("{}{} {} {}, {} ({})", app, grouped_text(record.iterations), record.iteration_name, who,
                     count_text(hosts, "host", "hosts"), record.transport);
}

void add_speed(Lines& lines, const RunRecord& record) {
  std::string makespan = duration_text(record.makespan_s);
  if (record.shared_input_s > 0)
    makespan +=
        fmt::format(", {} of it until the shared input was everywhere", duration_text(record.shared_input_s));
  lines.add("makespan", makespan);
  if (const auto rate = operation_rate(record)) lines.add("speed", flops_text(*rate));
}

void add_efficiency(Lines& lines, const RunRecord& record) {
  const Shares shares = worker_shares(record);
  if (record.iterations == 0 || record.makespan_s <= 0)
    return lines.add("efficiency", "none: nothing was computed");
  lines.add("efficiency",
            fmt::format("{} of the {}' time went into computing", percent_text(shares.computing),
                        has_master(record) ? "workers" : "ranks"));
  const std::string waiting = record.tells_idle
                                  ? fmt::format("{} idle, {} communicating", percent_text(shares.idle),
                                                percent_text(shares.communicating))
                                  : percent_text(shares.communicating) + " communicating and waiting";
  lines.add("lost", fmt::format("{}, {} stolen by {}other programs", waiting, percent_text(shares.stolen),
                                record.load ? "the load and " : ""));
}

void add_least_busy(Lines& lines, const RunRecord& record) {
  if (!is_collapsed(record) || record.makespan_s <= 0) return;
  const auto computing_s = [](const RankRecord& rank) { return at_host_speed(rank).computing_s; };
  const RankRecord* least = nullptr;
  for (const RankRecord& rank : record.ranks)
    if (rank.worker && (least == nullptr || computing_s(rank) < computing_s(*least))) least = &rank;
  if (least != nullptr)
    lines.add("least busy", fmt::format("rank {} on {}: {}", least->rank, least->host,
                                        percent_text(computing_s(*least) / record.makespan_s)));
}

/// The sums over all loaded ranks.
struct LoadTotals {
  double cpu_s = 0;
  double on_s = 0;
  double owned_s = 0;  ///< of a processor, what the ranks had while their loads were on
  bool is_limited = false;
};

LoadTotals load_totals(const LoadRecord& load) {
  LoadTotals totals;
  for (const LoadedRank& rank : load.ranks) {
    totals.cpu_s += rank.cpu_s;
    totals.on_s += rank.on_s;
    totals.owned_s += rank.capacity * rank.on_s;
    totals.is_limited = totals.is_limited || rank.capacity < 1;
  }
  return totals;
}

/// What the workers kept, the mean over those of which it is known.
std::string kept_text(const LoadRecord& load) {
  double sum_s = 0, owned_s = 0;
  for (const LoadedRank& rank : load.ranks) {
    if (!rank.worker_share) continue;
    sum_s += *rank.worker_share * rank.capacity * rank.on_s;
    owned_s += rank.capacity * rank.on_s;
  }
  return owned_s > 0 ? fmt::format("; the workers kept {}", percent_text(sum_s / owned_s)) : "";
}

void add_load(Lines& lines, const RunRecord& record) {
  if (!record.load) return;
  const LoadRecord& load = *record.load;
  const std::string who =
      fmt::format("{} on {}", load.spec, count_text(static_cast<Index>(load.ranks.size()), "rank", "ranks"));
  const LoadTotals totals = load_totals(load);
  if (totals.on_s <= 0) return lines.add("load", who + ": the run ended before it came on");
  const char* of_what = totals.is_limited ? "what the ranks have of a processor" : "a processor";
  lines.add("load", fmt::format("{}: took {} of {} while on, {} of processor time{}", who,
                                percent_text(totals.cpu_s / totals.owned_s), of_what,
                                duration_text(totals.cpu_s), kept_text(load)));
}

bool is_napping(const RunRecord& record) {
  const auto wait = record.options.find("wait_in_force");
  return wait != record.options.end() && wait->second == OptionValue(std::string("nap"));
}

void add_burnt(Lines& lines, const RunRecord& record) {
  double burnt_s = 0;
  for (const RankRecord& rank : record.ranks) burnt_s += rank.waiting_cpu_s;
  const double rank_time_s = record.makespan_s * static_cast<double>(record.ranks.size());
  if (rank_time_s <= 0 || burnt_s <= burnt_share_to_tell * rank_time_s) return;
  lines.add("waiting", fmt::format("burnt {} of processor time{}", duration_text(burnt_s),
                                   is_napping(record) ? "" : " (--wait nap would not)"));
}

void add_verification(Lines& lines, const RunRecord& record) {
  lines.add("verified", !record.verified   ? "not asked for"
                        : *record.verified ? "yes"
                                           : "NO, the result is wrong");
}

void add_duplicates(Lines& lines, const RunRecord& record) {
  const auto duplicates = std::count_if(record.chunks.begin(), record.chunks.end(),
                                        [](const ChunkRecord& chunk) { return chunk.is_duplicate; });
  if (duplicates > 0)
    lines.add("note", fmt::format("{} computed twice, the second result dropped",
                                  count_text(duplicates, "chunk was", "chunks were")));
}

void add_doubts(Lines& lines, const RunRecord& record) {
  const auto timed = static_cast<Index>(record.chunks.size());
  if (record.is_thinned && 10 * timed < 9 * record.chunks_total)
    lines.add("note", fmt::format("chunks are so short that only {} of {} were timed", grouped_text(timed),
                                  grouped_text(record.chunks_total)));
  if (!account_closes(record))
    lines.add("note",
              fmt::format("the account does not close: up to {} of the makespan is unaccounted for on a rank",
                          percent_text(worst_account_gap(record))));
  for (const std::string& note : record.notes) lines.add("note", note);
}

void add_choice(Lines& lines, const RunRecord& record) {
  if (!record.choice) return;
  const ChoiceRecord& choice = *record.choice;
  if (choice.scheduler.empty()) return lines.add("chosen", "nothing: the loop was over before the survey");
  std::string text = fmt::format("{} after {}, in {} (of {} allowed, {} of {} candidates)", choice.scheduler,
                                 duration_text(choice.survey_s), duration_text(choice.choosing_s),
                                 duration_text(choice.budget_s), choice.tried, choice.candidates);
  if (choice.level.size() > 1) text += fmt::format(", a tie of {}: the simplest", choice.level.size());
  lines.add("chosen", text);
  lines.add("foretold", fmt::format("{}, {:+.1f} %", duration_text(choice.predicted_s),
                                    100 * (choice.predicted_s / record.makespan_s - 1)));
}

}  // namespace

std::string summary(const RunRecord& record, int columns_wide) {
  const int width = std::max(columns_wide, least_width);
  Lines lines(width);
  add_speed(lines, record);
  add_choice(lines, record);
  add_efficiency(lines, record);
  add_least_busy(lines, record);
  add_load(lines, record);
  add_burnt(lines, record);
  for (const Finding& finding : record.findings) lines.add(finding.label, finding.text);
  add_verification(lines, record);
  add_duplicates(lines, record);
  add_doubts(lines, record);
  return wrapped(title(record), width, 2) + "\n\n" + rank_table(record, width) + "\n" + lines.take();
}

}  // namespace loadshare
