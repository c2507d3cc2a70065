#include "runtime/records/summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <span>

#include "base/io/text.hpp"
#include "base/quantities.hpp"
#include "runtime/records/advice.hpp"
#include "runtime/records/worker_name.hpp"

namespace loadshare {
namespace {

/// Returns whether the table replaces ranks by their means.
bool is_collapsed(const RunRecord& record);

constexpr std::size_t most_ranks_shown = 33;  // 32 workers and a master
constexpr std::size_t shown_at_each_end = 12;
constexpr int longest_bar = 24;
constexpr int shortest_bar = 4;
constexpr int widest_host = 24;

/// One line of the table. Shares are relative to the makespan; NaN without one.
struct Row {
  std::string rank;
  std::string host;
  std::string_view role;
  std::string iterations;
  std::string chunks;
  double computing = 0;
  double stolen = 0;
  double communicating = 0;
  double idle = 0;
};

/// The columns of a table: peers have neither roles nor chunks, and idle time may be unknown.
struct Shown {
  bool roles = true;
  bool idle = true;
};

Shown shown_of(const RunRecord& record) {
  return {has_master(record), record.is_idle_known};
}

std::string_view exchange_heading(const Shown& shown) {
  return shown.idle ? "comm%" : "comm+wait%";
}

struct Widths {
  int rank = 4;
  int host = 4;
  int role = 6;
  int iterations = 0;
  int chunks = 6;
  int bar = 0;
  int gap = 2;
};

std::string_view short_role(Role role) {
  return role == Role::working_master ? "both" : name_among(roles, role);
}

double share(double seconds, double makespan_s) {
  return makespan_s > 0 ? seconds / makespan_s : std::numeric_limits<double>::quiet_NaN();
}

/// Returns a rank's line, with shares of the time in which it was present.
Row row_of(const RankRecord& rank, double makespan_s) {
  const TimesAtHostSpeed times = at_host_speed(rank);
  const double there_s = makespan_s - rank.away_s;
  return {fmt::format("{}", rank.rank),   rank.host,
          short_role(rank.role),          fmt::format("{}", rank.iterations),
          fmt::format("{}", rank.chunks), share(times.computing_s, there_s),
          share(times.stolen_s, there_s), share(times.communicating_s, there_s),
          share(times.idle_s, there_s)};
}

double mean(std::span<const RankRecord> ranks, auto value_of) {
  double sum = 0;
  for (const RankRecord& rank : ranks) sum += static_cast<double>(value_of(rank));
  return sum / static_cast<double>(ranks.size());
}

Row mean_row(std::span<const RankRecord> ranks, double makespan_s) {
  const auto mean_share = [&](double TimesAtHostSpeed::*part) {
    return share(mean(ranks, [part](const RankRecord& rank) { return at_host_speed(rank).*part; }),
                 makespan_s);
  };
  return {"...",
          fmt::format("{} more:", ranks.size()),
          "mean",
          fmt::format("{:.1f}", mean(ranks, [](const RankRecord& rank) { return rank.iterations; })),
          fmt::format("{:.1f}", mean(ranks, [](const RankRecord& rank) { return rank.chunks; })),
          mean_share(&TimesAtHostSpeed::computing_s),
          mean_share(&TimesAtHostSpeed::stolen_s),
          mean_share(&TimesAtHostSpeed::communicating_s),
          mean_share(&TimesAtHostSpeed::idle_s)};
}

std::vector<Row> rows_of(const RunRecord& record) {
  const std::span<const RankRecord> ranks(record.ranks);
  std::vector<Row> rows;
  const auto add = [&](std::span<const RankRecord> some) {
    for (const RankRecord& rank : some) rows.push_back(row_of(rank, record.makespan_s));
  };
  if (!is_collapsed(record)) {
    add(ranks);
    return rows;
  }
  add(ranks.first(shown_at_each_end));
  rows.push_back(
      mean_row(ranks.subspan(shown_at_each_end, ranks.size() - 2 * shown_at_each_end), record.makespan_s));
  add(ranks.last(shown_at_each_end));
  return rows;
}

std::string cell(double share_of_makespan) {
  return std::isfinite(share_of_makespan) ? fmt::format("{:.1f}", share_of_makespan * 100) : "-";
}

std::string bar_text(double share_of_makespan, int width) {
  const double whole = std::isfinite(share_of_makespan) ? std::clamp(share_of_makespan, 0.0, 1.0) : 0;
  const auto filled = static_cast<int>(std::lround(whole * width));
  return fmt::format("{:#<{}}{:.<{}}", "", filled, "", width - filled);
}

std::string host_text(const std::string& host, int width) {
  if (static_cast<int>(host.size()) <= width) return host;
  return host.substr(0, static_cast<std::size_t>(width - 1)) + "~";
}

std::string line_of(const std::vector<std::string>& cells, const Widths& widths) {
  return fmt::format("{}\n", fmt::join(cells, std::string(static_cast<std::size_t>(widths.gap), ' ')));
}

std::string line(const Widths& widths, const Shown& shown, const Row& row) {
  std::vector<std::string> cells{
      fmt::format("{:>{}}", row.rank, widths.rank),
      fmt::format("{:<{}}", host_text(row.host, widths.host), widths.host),
  };
  if (widths.role > 0) cells.push_back(fmt::format("{:<{}}", row.role, widths.role));
  cells.push_back(fmt::format("{:>{}}", row.iterations, widths.iterations));
  if (shown.roles) cells.push_back(fmt::format("{:>{}}", row.chunks, widths.chunks));
  cells.push_back(fmt::format("{:>5}", cell(row.computing)));
  if (widths.bar > 0) cells.push_back(bar_text(row.computing, widths.bar));
  cells.push_back(fmt::format("{:>7}", cell(row.stolen)));
  cells.push_back(fmt::format("{:>{}}", cell(row.communicating), exchange_heading(shown).size()));
  if (shown.idle) cells.push_back(fmt::format("{:>5}", cell(row.idle)));
  return line_of(cells, widths);
}

std::string heading(const Widths& widths, const Shown& shown, const std::string& iteration_name) {
  std::vector<std::string> cells{fmt::format("{:>{}}", "rank", widths.rank),
                                 fmt::format("{:<{}}", "host", widths.host)};
  if (widths.role > 0) cells.push_back(fmt::format("{:<{}}", "role", widths.role));
  cells.push_back(fmt::format("{:>{}}", iteration_name, widths.iterations));
  if (shown.roles) cells.push_back(fmt::format("{:>{}}", "chunks", widths.chunks));
  cells.push_back("busy%");
  if (widths.bar > 0) cells.push_back(std::string(static_cast<std::size_t>(widths.bar), ' '));
  cells.push_back("stolen%");
  cells.push_back(std::string(exchange_heading(shown)));
  if (shown.idle) cells.push_back("idle%");
  return line_of(cells, widths);
}

/// Makes lines fit `columns_wide`: first the bar gets shorter, then the gaps, then the roles are left out,
/// and at last the hosts' names are cut.
void fit(Widths& widths, const Shown& shown, const std::string& iteration_name, int columns_wide) {
  const auto left = [&] {
    return columns_wide - static_cast<int>(heading(widths, shown, iteration_name).size() - 1);
  };
  if (left() < 0) widths.gap = 1;
  if (left() < 0) widths.role = 0;
  if (left() < 0) widths.host = std::max(4, widths.host + left());
  const int bar = std::min(left() - widths.gap, longest_bar);
  widths.bar = bar < shortest_bar ? 0 : bar;
}

Widths widths_of(const std::vector<Row>& rows, const RunRecord& record, int columns_wide) {
  Widths widths;
  const auto widen = [](int& width, std::size_t needed) {
    width = std::max(width, static_cast<int>(needed));
  };
  widen(widths.iterations, record.iteration_name.size());
  for (const Row& row : rows) {
    widen(widths.rank, row.rank.size());
    widen(widths.host, row.host.size());
    widen(widths.iterations, row.iterations.size());
    widen(widths.chunks, row.chunks.size());
  }
  widths.host = std::min(widths.host, widest_host);
  if (!has_master(record)) widths.role = 0;
  fit(widths, shown_of(record), record.iteration_name, columns_wide);
  return widths;
}

bool is_collapsed(const RunRecord& record) {
  return record.ranks.size() > most_ranks_shown;
}

/// Returns the table of the summary: a heading and one line per rank, each of at most `columns_wide`
/// characters.
std::string rank_table(const RunRecord& record, int columns_wide) {
  const std::vector<Row> rows = rows_of(record);
  const Widths widths = widths_of(rows, record, columns_wide);
  const Shown shown = shown_of(record);
  std::string text = heading(widths, shown, record.iteration_name);
  for (const Row& row : rows) text += line(widths, shown, row);
  return text;
}

constexpr int label_width = 12;
constexpr int least_width = 40;

/// Lines of a label and a text, which is wrapped to fit.
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
  return fmt::format("{}{} {}, {} ({})", app, count_text(record.iterations, record.iteration_name), who,
                     count_text(hosts, "host", "hosts"), record.transport);
}

void add_speed(Lines& lines, const RunRecord& record) {
  std::string makespan = duration_text(record.makespan_s);
  if (record.shared_input_s > 0)
    makespan += fmt::format(", {} of it until every host had the broadcast input",
                            duration_text(record.shared_input_s));
  lines.add("makespan", makespan);
  if (const auto rate = operation_rate(record)) lines.add("speed", flops_text(*rate));
}

void add_efficiency(Lines& lines, const RunRecord& record) {
  const WorkerShares shares = worker_shares(record);
  if (record.iterations == 0 || record.makespan_s <= 0)
    return lines.add("efficiency", "none: nothing was computed");
  constexpr double least_waiting = 0.001;
  const std::string waiting_bodies =
      shares.waiting < least_waiting
          ? ""
          : fmt::format(", {} of it waiting in the body (asleep or for something other than a processor)",
                        percent_text(shares.waiting / shares.computing));
  lines.add("efficiency",
            fmt::format("{} of the {}' time went into computing{}", percent_text(shares.computing),
                        has_master(record) ? "workers" : "ranks", waiting_bodies));
  const std::string waiting = record.is_idle_known
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

/// Adds the costs that the efficiency does not show, and advice.
void add_takeaway(Lines& lines, const RunRecord& record) {
  if (const std::string text = width_cost_text(record); !text.empty()) lines.add("chunks", text);
  if (const std::string text = advice(record); !text.empty()) lines.add("advice", text);
}

/// The sums over all loaded ranks.
struct LoadTotals {
  double cpu_s = 0;
  double on_s = 0;
  double owned_s = 0;  ///< processor time that the ranks were granted while their loads were on
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

/// Returns the mean share that the workers kept, over the workers for which it is known.
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
  if (totals.on_s <= 0) return lines.add("load", who + ": the run ended before the load began");
  const char* of_what = totals.is_limited ? "the ranks' share of a processor" : "a processor";
  lines.add("load", fmt::format("{}: took {} of {} while it was on, {} of processor time{}", who,
                                percent_text(totals.cpu_s / totals.owned_s), of_what,
                                duration_text(totals.cpu_s), kept_text(load)));
}

bool is_napping(const RunRecord& record) {
  const auto wait = record.options.find("wait_in_force");
  return wait != record.options.end() && wait->second == OptionValue(std::string("nap"));
}

void add_burnt(Lines& lines, const RunRecord& record) {
  if (!burns(record)) return;
  lines.add("waiting", fmt::format("used {} of processor time{}", duration_text(burnt_s(record)),
                                   is_napping(record) ? "" : " (--wait nap avoids that)"));
}

void add_verification(Lines& lines, const RunRecord& record) {
  lines.add("verified", !record.verified   ? "not checked"
                        : *record.verified ? "yes"
                                           : "NO, the result is wrong");
}

/// Names the workers whose chunks others finished: ", instead of rank 2 (3), rank 5".
std::string saved_text(const RunRecord& record) {
  std::vector<std::string> names;
  for (const auto& [worker, chunks] : record.reissue->saved) {
    const auto rank = std::ranges::find(record.ranks, std::optional(worker), &RankRecord::worker);
    if (rank == record.ranks.end()) continue;
    names.push_back(fmt::format("rank {}{}", rank->rank, chunks > 1 ? fmt::format(" ({})", chunks) : ""));
  }
  return names.empty() ? "" : fmt::format(", instead of {}", fmt::join(names, ", "));
}

/// Which of the copies were of use: "3 of the copies were first, instead of rank 2 (2), rank 5".
std::string copies_text(const RunRecord& record) {
  const Index copies = record.reissue->copies, first = record.reissue->first;
  if (first == 0) return copies == 1 ? "its copy was not needed" : "their copies were not needed";
  const std::string which = first < copies ? fmt::format("{} of the copies", first)
                            : copies == 1  ? "its copy"
                                           : "all copies";
  return fmt::format("{} {} first{}", which, first == 1 ? "was" : "were", saved_text(record));
}

void add_reissue(Lines& lines, const RunRecord& record) {
  if (!record.reissue || record.reissue->again == 0) return;
  lines.add("again",
            fmt::format("{} also given to another worker, counted each time; {} certainly computed twice",
                        count_text(record.reissue->again, record.iteration_name),
                        grouped_text(record.reissue->twice)));
  if (record.reissue->copies == 0) return;
  lines.add("re-issue",
            fmt::format("{} also sent to a second worker; {}",
                        count_text(record.reissue->copies, "chunk was", "chunks were"), copies_text(record)));
}

std::string step_text(MemberEvent::What what) {
  using What = MemberEvent::What;
  const std::string name(name_among(member_events, what));
  if (what == What::joined || what == What::left) return name;
  return what == What::back ? "answered again" : "was " + name;
}

/// Adds the workers that joined after the start, were lost or silent.
void add_members(Lines& lines, const RunRecord& record) {
  constexpr double at_start_s = 0.1;
  constexpr std::size_t most = 8;
  if (!record.membership) return;
  std::vector<std::string> texts;
  for (const MemberEvent& event : record.membership->events) {
    if (event.what == MemberEvent::What::joined && event.at_s < at_start_s) continue;
    std::string text = fmt::format("{} {} after {}", worker_text(record, event.worker), step_text(event.what),
                                   duration_text(event.at_s));
    if (event.chunks > 0) text += fmt::format(" with {}", count_text(event.chunks, "chunk", "chunks"));
    texts.push_back(std::move(text));
  }
  for (std::size_t i = 0; i < std::min(most, texts.size()); ++i) lines.add("members", texts[i]);
  if (texts.size() > most)
    lines.add("members", fmt::format("and {} more: --json lists all", texts.size() - most));
  if (const auto again = static_cast<Index>(record.membership->given_again.size()); again > 0)
    lines.add("members", count_text(again, "chunk was", "chunks were") + " given to another worker");
}

void add_journal(Lines& lines, const RunRecord& record) {
  if (!record.journal) return;
  const JournalRecord& journal = *record.journal;
  std::string text = fmt::format("{} {} kept, {}", grouped_text(journal.kept), record.iteration_name,
                                 human_bytes(journal.bytes));
  if (journal.recovered > 0)
    text = fmt::format("{} of {} {} recovered; {}", grouped_text(journal.recovered),
                       grouped_text(record.iterations), record.iteration_name, text);
  if (!journal.is_safe()) text += fmt::format("; a crash would lose the others ({})", journal.problem);
  lines.add("journal", text);
}

void add_skipped(Lines& lines, const RunRecord& record) {
  constexpr std::size_t most = 5;
  for (std::size_t i = 0; i < std::min(most, record.skipped.size()); ++i)
    lines.add("left out",
              fmt::format("iteration {}: {}", record.skipped[i].iteration, record.skipped[i].reason));
  if (record.skipped.size() > most)
    lines.add("left out", fmt::format("and {} more: --json lists all", record.skipped.size() - most));
}

void add_doubts(Lines& lines, const RunRecord& record) {
  const auto listed = static_cast<Index>(record.chunks.size());
  if (record.is_thinned && 10 * record.chunks_timed < 9 * record.chunks_total)
    lines.add("note", fmt::format("chunks are so short that only {} of {} were timed",
                                  grouped_text(record.chunks_timed), grouped_text(record.chunks_total)));
  if (listed < record.chunks_timed)
    lines.add("note",
              fmt::format("the record lists {} of {} timed chunks, drawn at random; its sums include all",
                          grouped_text(listed), grouped_text(record.chunks_timed)));
  if (!account_closes(record))
    lines.add("note",
              fmt::format("a rank's times do not add up to the makespan: up to {} of it is unaccounted for",
                          percent_text(worst_account_gap(record))));
  for (const std::string& note : record.notes) lines.add("note", note);
}

std::string moment_text(double at_s) {
  constexpr double start_s = 1e-3;
  return at_s < start_s ? "at the start" : "after " + duration_text(at_s);
}

void add_choice(Lines& lines, const RunRecord& record) {
  if (!record.choice) return;
  const ChoiceRecord& choice = *record.choice;
  if (choice.tried == 0)
    return lines.add("auto", fmt::format("kept {}, with which it began: the run was too short to choose",
                                         choice.scheduler));
  const std::string compared = choice.tried == choice.candidates
                                   ? count_text(choice.tried, "scheduler", "schedulers")
                                   : fmt::format("{} of {} schedulers", choice.tried, choice.candidates);
  std::string text = fmt::format("chose {} {}; compared {} in {}", choice.scheduler,
                                 moment_text(choice.survey_s), compared, duration_text(choice.choosing_s));
  if (choice.level.size() > 1)
    text +=
        fmt::format("; {} equally good", count_text(std::ssize(choice.level) - 1, "other is", "others are"));
  lines.add("auto", text);
  const double off = choice.predicted_s / record.makespan_s - 1;
  lines.add("forecast", fmt::format("{}, {:.1f} % {}", duration_text(choice.predicted_s), 100 * std::abs(off),
                                    off < 0 ? "too short" : "too long"));
}

}  // namespace

std::string summary(const RunRecord& record, int columns_wide) {
  const int width = std::max(columns_wide, least_width);
  Lines lines(width);
  add_speed(lines, record);
  add_choice(lines, record);
  add_efficiency(lines, record);
  add_least_busy(lines, record);
  add_takeaway(lines, record);
  add_load(lines, record);
  add_burnt(lines, record);
  for (const Finding& finding : record.findings) lines.add(finding.label, finding.text);
  add_verification(lines, record);
  add_members(lines, record);
  add_reissue(lines, record);
  add_journal(lines, record);
  add_skipped(lines, record);
  add_doubts(lines, record);
  return wrapped(title(record), width, 2) + "\n\n" + rank_table(record, width) + "\n" + lines.take();
}

}  // namespace loadshare
