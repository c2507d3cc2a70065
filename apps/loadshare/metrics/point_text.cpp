#include "apps/loadshare/metrics/point_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "apps/loadshare/metrics/code_place.hpp"
#include "apps/loadshare/metrics/losses.hpp"
#include "apps/loadshare/metrics/meanings.hpp"
#include "apps/loadshare/metrics/wording.hpp"
#include "runtime/timing/wording.hpp"

namespace loadshare::tool {
namespace {

using granularity::Figure;
using granularity::Figures;
using Cells = std::vector<std::string>;

constexpr std::size_t most_ranks_shown = 32;
constexpr std::size_t shown_at_each_end = 12;
constexpr std::size_t widest_host = 24;

std::string title(const Point& point, const SettingStudy& setting) {
  const std::string of_runs =
      point.runs.size() == 1 ? "" : fmt::format("; medians of {} runs, with their range", point.runs.size());
  return wrapped(fmt::format("{} on {}{}", setting_text(setting.setting, {setting}),
                             count_text(point.processors(), "rank", "ranks"), of_runs),
                 metrics_width, 2);
}

/// Lines after the first are to stand below the first one's begin.
std::string hung(const std::string& text, int indent) {
  std::string result;
  for (const char c : text) {
    result += c;
    if (c == '\n') result.append(static_cast<std::size_t>(indent), ' ');
  }
  return result;
}

std::string meanings_text(const std::vector<MeaningRow>& rows) {
  std::size_t name_width = 0, value_width = 0;
  for (const MeaningRow& row : rows) {
    name_width = std::max(name_width, row.name.size());
    value_width = std::max(value_width, row.value.size());
  }
  const auto indent = static_cast<int>(name_width + value_width + 4);
  std::string text;
  for (const MeaningRow& row : rows)
    text += fmt::format("{:<{}}  {:>{}}  {}\n", row.name, name_width, row.value, value_width,
                        hung(wrapped(row.meaning, metrics_width - indent, 0), indent));
  return text;
}

std::string host_text(const std::string& host) {
  return host.size() <= widest_host ? host : host.substr(0, widest_host - 1) + "~";
}

Figure share(const Figure& part_s, const Figure& whole_s) {
  return part_s ? Figure(*part_s / *whole_s) : Figure();
}

Cells rank_cells(const Point& point, std::size_t at) {
  const Figures& rank = point.ranks[at];
  const granularity::RankTimes& times = point.runs.front().times.ranks[at];
  return {fmt::format("{}", times.rank),
          host_text(times.host),
          percent_cell(share(rank.computing_s, rank.run_s)),
          percent_cell(share(rank.communicating_s, rank.run_s)),
          percent_cell(share(rank.idle_s, rank.run_s)),
          percent_cell(share(rank.stolen_s, rank.run_s)),
          number_text(rank.granularity),
          percent_cell(rank.efficiency),
          percent_cell(rank.load_balance),
          number_text(point.speeds[at])};
}

/// Each source has a unit of its own; measured ones that of the program's work, iterations where it names
/// none.
std::string speed_heading(const SpeedBasis& speeds) {
  if (speeds.source == granularity::SpeedSource::given) return "S_i given";
  return speeds.source == granularity::SpeedSource::quota ? "S_i quota" : "S_i work/s";
}

std::string ranks_text(const Point& point, const SpeedBasis& speeds) {
  std::vector<Cells> rows{{"rank", "host", "comp%", "comm%", "idle%", "stolen%", "G", "E%", "of longest%",
                           speed_heading(speeds)}};
  const std::size_t count = point.ranks.size();
  for (std::size_t i = 0; i < count; ++i) {
    const bool is_left_out =
        count > most_ranks_shown && i >= shown_at_each_end && i < count - shown_at_each_end;
    if (!is_left_out)
      rows.push_back(rank_cells(point, i));
    else if (i == shown_at_each_end)
      rows.push_back(
          {"...", fmt::format("{} more", count - 2 * shown_at_each_end), "", "", "", "", "", "", "", ""});
  }
  return table_text(rows, 2);
}

}  // namespace

std::string point_text(const Point& point, const SettingStudy& setting) {
  std::vector<MeaningRow> rows = meanings_of(point);
  std::ranges::move(comparisons_of(point, setting.sequential_source), std::back_inserter(rows));
  const std::string losses = losses_text(point);
  std::vector<std::string> of_places;
  if (!losses.empty()) of_places = {code_place_note(point)};
  std::erase(of_places, "");
  return title(point, setting) + "\n\n" + meanings_text(rows) + "\n" + ranks_text(point, setting.speeds) +
         losses + notes_text(of_places) + notes_text(point.notes) + notes_text(setting.notes);
}

}  // namespace loadshare::tool
