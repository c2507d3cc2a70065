#include "runtime/timing/summary_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

namespace loadshare {
namespace {

constexpr std::size_t most_ranks_shown = 33;  // 32 workers and a master
constexpr std::size_t shown_at_each_end = 12;
constexpr int longest_bar = 24;
constexpr int shortest_bar = 4;
constexpr int widest_host = 24;

/// One line of the table; shares are of the makespan, NaN where there is none.
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

/// Which columns a table has: peers have neither roles nor chunks, and idle time may be unknown.
struct Shown {
  bool roles = true;
  bool idle = true;
};

Shown shown_of(const RunRecord& record) {
  return {has_master(record), record.tells_idle};
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
};

std::string_view short_role(Role role) {
  return role == Role::working_master ? "both" : role_name(role);
}

double share(double seconds, double makespan_s) {
  return makespan_s > 0 ? seconds / makespan_s : std::numeric_limits<double>::quiet_NaN();
}

Row row_of(const RankRecord& rank, double makespan_s) {
  const TimesAtHostSpeed times = at_host_speed(rank);
  return {fmt::format("{}", rank.rank),
          rank.host,
          short_role(rank.role),
          fmt::format("{}", rank.iterations),
          fmt::format("{}", rank.chunks),
          share(times.computing_s, makespan_s),
          share(times.stolen_s, makespan_s),
          share(times.communicating_s, makespan_s),
          share(times.idle_s, makespan_s)};
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
  const Shown shown = shown_of(record);
  constexpr int gap = 2, busy = 5, stolen = 7, idle = 5;
  int others = widths.rank + gap + widths.iterations + gap + gap + busy + gap + stolen + gap +
               static_cast<int>(exchange_heading(shown).size());
  if (shown.roles) others += widths.role + gap + widths.chunks + gap;
  if (shown.idle) others += gap + idle;
  widths.host = std::clamp(columns_wide - others - 2 - shortest_bar, 4, std::min(widths.host, widest_host));
  const int left = columns_wide - others - widths.host - 2;
  widths.bar = left < shortest_bar ? 0 : std::min(left, longest_bar);
  return widths;
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

std::string line(const Widths& widths, const Shown& shown, const Row& row) {
  std::string text =
      fmt::format("{:>{}}  {:<{}}", row.rank, widths.rank, host_text(row.host, widths.host), widths.host);
  if (shown.roles) text += fmt::format("  {:<{}}", row.role, widths.role);
  text += fmt::format("  {:>{}}", row.iterations, widths.iterations);
  if (shown.roles) text += fmt::format("  {:>{}}", row.chunks, widths.chunks);
  text += fmt::format("  {:>5}", cell(row.computing));
  if (widths.bar > 0) text += "  " + bar_text(row.computing, widths.bar);
  text += fmt::format("  {:>7}  {:>{}}", cell(row.stolen), cell(row.communicating),
                      exchange_heading(shown).size());
  if (shown.idle) text += fmt::format("  {:>5}", cell(row.idle));
  return text + "\n";
}

std::string heading(const Widths& widths, const Shown& shown, const std::string& iteration_name) {
  std::string text = fmt::format("{:>{}}  {:<{}}", "rank", widths.rank, "host", widths.host);
  if (shown.roles) text += fmt::format("  {:<{}}", "role", widths.role);
  text += fmt::format("  {:>{}}", iteration_name, widths.iterations);
  if (shown.roles) text += fmt::format("  {:>{}}", "chunks", widths.chunks);
  text += fmt::format("  {:>5}", "busy%");
  if (widths.bar > 0) text += fmt::format("  {:<{}}", "", widths.bar);
  text += fmt::format("  stolen%  {}", exchange_heading(shown));
  return text + (shown.idle ? "  idle%\n" : "\n");
}

}  // namespace

bool is_collapsed(const RunRecord& record) {
  return record.ranks.size() > most_ranks_shown;
}

std::string rank_table(const RunRecord& record, int columns_wide) {
  const std::vector<Row> rows = rows_of(record);
  const Widths widths = widths_of(rows, record, columns_wide);
  const Shown shown = shown_of(record);
  std::string text = heading(widths, shown, record.iteration_name);
  for (const Row& row : rows) text += line(widths, shown, row);
  return text;
}

}  // namespace loadshare
