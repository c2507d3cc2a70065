#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string_view>

#include "apps/loadshare/metrics_text.hpp"
#include "apps/loadshare/metrics_tree.hpp"
#include "apps/loadshare/output.hpp"
#include "base/io/text.hpp"

namespace loadshare::tool {
namespace {

using granularity::Figure;
using granularity::Figures;
using waiting::Loss;
using waiting::WaitState;
using Cells = std::vector<std::string>;

/// One row of the table a person reads.
struct MeaningRow {
  std::string name;     ///< "granularity G"
  std::string value;    ///< "88.9", and of several runs their range
  std::string meaning;  ///< one sentence: what it is, and what it says here
};

using FigureText = std::function<std::string(double)>;

std::string figure_text(double value) {
  return number_text(value);
}

/// The median, and the range where there are several runs.
std::string spread_text(const Point& point, Figure Figures::*figure, const FigureText& text) {
  const std::string median = text(*(point.spread.median.*figure));
  if (point.runs.size() == 1) return median;
  return fmt::format("{} ({} to {})", median, text(*(point.spread.least.*figure)),
                     text(*(point.spread.most.*figure)));
}

/// Collects rows of one point; a figure that is not known has none.
class Rows {
 public:
  explicit Rows(const Point& point) : point_(point) {}

  void add(const char* name, Figure Figures::*figure, const FigureText& text, std::string meaning) {
    if (point_.spread.median.*figure)
      rows_.push_back({name, spread_text(point_, figure, text), std::move(meaning)});
  }
  std::vector<MeaningRow> take() { return std::move(rows_); }

 private:
  const Point& point_;
  std::vector<MeaningRow> rows_;
};

std::string times_text(const Figure& granularity, const char* of_what) {
  if (!granularity) return fmt::format("took no time, nor did {}", of_what);
  if (std::isinf(*granularity)) return fmt::format("took all the time, {} none", of_what);
  return fmt::format("took {} times as long as {}", number_text(granularity), of_what);
}

std::string losses_text(const Figures& figures) {
  const double all_s = *figures.cost_s;
  const std::string stolen = percent_text(*figures.stolen_s / all_s) + " stolen by others";
  const std::string moving = percent_text(*figures.communicating_s / all_s) + " communicating";
  if (!figures.idle_s) return fmt::format("{} or idle, {}", moving, stolen);
  return fmt::format("{}, {} idle, {}", moving, percent_text(*figures.idle_s / all_s), stolen);
}

std::string busiest_text(const Point& point) {
  const auto busiest = std::ranges::max_element(
      point.ranks, {}, [](const Figures& rank) { return rank.computing_s.value_or(0); });
  const auto at = static_cast<std::size_t>(busiest - point.ranks.begin());
  return fmt::format("rank {}", point.runs.front().times.ranks[at].rank);
}

void add_times(Rows& rows, const Figures& median) {
  rows.add("run time T_p", &Figures::run_s, duration_text,
           "from the first rank's start to the last one's end, on p = " +
               count_text(static_cast<Index>(*median.processors), "processor", "processors"));
  rows.add("cost p T_p", &Figures::cost_s, duration_text,
           "processor time that others could not use, whether it was used or not");
  rows.add("computing", &Figures::computing_s, duration_text,
           "sum of T_comp: without a sequential run, the problem size W");
  rows.add("overhead T_o", &Figures::overhead_s, duration_text, "p T_p - W: " + losses_text(median));
}

void add_granularity(Rows& rows, const Figures& median) {
  rows.add(
      "granularity G", &Figures::granularity, figure_text,
      "T_comp / (T_comm + T_idle + T_stolen): computing " + times_text(median.granularity, "all the rest"));
  rows.add("efficiency E", &Figures::efficiency, percent_text,
           "G / (G + 1), the share of the processors' time that went into computing");
  rows.add("speedup", &Figures::speedup, figure_text,
           "p E: the number of processors that would do as much if they only computed");
  rows.add("G communication", &Figures::granularity_communication, figure_text,
           "T_comp / T_comm: computing " + times_text(median.granularity_communication, "communicating"));
  rows.add("stolen", &Figures::stolen, percent_text,
           "share of the time in which other programs had the processor while ranks wanted to compute");
  rows.add("G not stolen", &Figures::granularity_without_stolen, figure_text,
           "T_comp / (T_comm + T_idle): of the time that the program was given");
  rows.add("E not stolen", &Figures::efficiency_without_stolen, percent_text,
           "the efficiency in the time that the program was given");
}

void add_balance(Rows& rows, const Point& point) {
  rows.add("balance of T_comp", &Figures::load_balance, percent_text,
           fmt::format("mean over largest T_comp: the rest is how much less the others compute than {}",
                       busiest_text(point)));
  rows.add("longest T_comp", &Figures::communication_efficiency, percent_text,
           "largest T_comp over T_p: in the rest, even that rank did not compute");
  rows.add("parallel", &Figures::parallel_efficiency, percent_text,
           "product of these two in each run: equals E, split as POP does");
}

std::string points_text(double difference) {
  return fmt::format("{:+.1f} points", difference * 100);
}

/// T_seq is all the time of that run, whatever it went into.
std::string difference_text(double difference) {
  const char* place = difference < 0 ? "below" : "above";
  const char* cause = difference < 0 ? "less than T_seq, which includes what the sequential run lost"
                                     : "more than T_seq, the extra computing";
  return fmt::format("E by granularity is {} it by this much: the ranks together computed {}", place, cause);
}

std::string extra_text(double extra) {
  return fmt::format("the ranks together computed {} {} than the sequential run took",
                     percent_text(std::abs(extra)), extra < 0 ? "less" : "more");
}

void add_classical(std::vector<MeaningRow>& rows, const granularity::ClassicalFigures& figures,
                   const char* kind, const std::string& source) {
  if (!figures.sequential_s) return;
  const auto add = [&](const std::string& name, std::string value, std::string meaning) {
    rows.push_back({name, std::move(value), std::move(meaning)});
  };
  const std::string because = source.empty() ? "given" : source;
  add(fmt::format("{} speedup", kind), number_text(figures.speedup),
      fmt::format("T_seq / T_p with T_seq = {} ({})", duration_text(*figures.sequential_s), because));
  add(fmt::format("{} efficiency", kind), percent_text(*figures.efficiency),
      "that speedup over p, the classical efficiency");
  add("  E minus it", points_text(*figures.difference), difference_text(*figures.difference));
  add("  extra computing", percent_text(*figures.extra_computing), extra_text(*figures.extra_computing));
  if (!figures.efficiency_h) return;
  add(fmt::format("  {} E_H", kind), percent_text(*figures.efficiency_h),
      "that speedup over the virtual processors");
  add("  E_H minus it", points_text(*figures.difference_h), "the same comparison for unequal processors");
}

/// The rows of a point, without those that its runs do not tell.
std::vector<MeaningRow> meanings_of(const Point& point) {
  Rows rows(point);
  add_times(rows, point.spread.median);
  add_granularity(rows, point.spread.median);
  add_balance(rows, point);
  return rows.take();
}

/// Ditto of the classical figures, for each sequential time that is known, and of unequal processors.
std::vector<MeaningRow> comparisons_of(const Point& point, const std::string& sequential_source) {
  Rows heterogeneous(point);
  heterogeneous.add(
      "virtual processors", &Figures::virtual_processors, figure_text,
      "VP = sum of S_i / S_1 (the last column below): together they equal this many like the reference");
  heterogeneous.add("speedup_H", &Figures::speedup_h, figure_text,
                    "how long S_1 alone would compute all of it (sum of T_comp S_i / S_1), over T_p");
  heterogeneous.add("E_H", &Figures::efficiency_h, percent_text,
                    "speedup_H / VP: efficiency in which a fast processor's time counts more");
  std::vector<MeaningRow> rows = heterogeneous.take();
  const auto& classical = point.spread.median.classical;
  for (std::size_t kind = 0; kind < classical.size(); ++kind)
    add_classical(rows, classical[kind], granularity::classical_kinds[kind],
                  kind == 2 ? sequential_source : "");
  return rows;
}

constexpr std::size_t most_shown = 10;
constexpr double least_share_shown = 0.001;
constexpr std::size_t widest_place = 56;

/// Losses of several runs would be those of several programs' places.
const std::vector<Loss>* losses_of(const Point& point) {
  const bool has_some = point.runs.size() == 1 && !point.runs.front().losses.empty();
  return has_some ? &point.runs.front().losses : nullptr;
}

double all_ranks_s(const Point& point) {
  return point.runs.front().times.run_s * point.processors();
}

std::string reason(const Loss& loss) {
  if (loss.state == WaitState::none) return "moving data";
  if (loss.state == WaitState::unknown) return "waiting or moving, not known which";
  return fmt::format("waiting: {}", name_of(loss.state));
}

std::string place_text(const std::string& place) {
  if (place.size() <= widest_place) return place.empty() ? "-" : place;
  return place.substr(0, widest_place - 1) + "~";
}

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
  return part_s && *whole_s > 0 ? Figure(*part_s / *whole_s) : Figure();
}

Cells rank_cells(const Point& point, std::size_t at) {
  const Figures& rank = point.ranks[at];
  const granularity::RankTimes& times = point.runs.front().times.ranks[at];
  return {fmt::format("{}", times.rank),
          host_text(times.host),
          percent_cell(share(rank.computing_s, rank.cost_s)),
          percent_cell(share(rank.communicating_s, rank.cost_s)),
          percent_cell(share(rank.idle_s, rank.cost_s)),
          percent_cell(share(rank.stolen_s, rank.cost_s)),
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

/// The losses in the table of them.
std::vector<Loss> shown_losses(const Point& point) {
  std::vector<Loss> shown;
  const std::vector<Loss>* losses = losses_of(point);
  if (losses == nullptr) return shown;
  for (const Loss& loss : *losses) {
    if (shown.size() == most_shown || loss.seconds / all_ranks_s(point) < least_share_shown) break;
    shown.push_back(loss);
  }
  return shown;
}

}  // namespace

std::string losses_text(const Point& point) {
  const std::vector<Loss> losses = shown_losses(point);
  if (losses.empty()) return "";
  std::vector<std::vector<std::string>> rows{{"call", "what for", "from", "% of all time"}};
  for (const Loss& loss : losses)
    rows.push_back({std::string(loss.call), reason(loss),
                    place_text(code_text(point.runs.front(), loss.place)),
                    percent_cell(loss.seconds / all_ranks_s(point))});
  return "\nwhere the time inside MPI and the idle time went, the greatest first\n\n" + table_text(rows, 3);
}

nlohmann::ordered_json code_json(const SourcedRun& run, const std::string& place) {
  const auto found = run.code.find(place);
  if (found == run.code.end()) return nullptr;
  const profile::CodePlace& code = found->second;
  nlohmann::ordered_json json{{"function", code.function}, {"file", nullptr}, {"line", nullptr}};
  if (!code.file.empty()) json["file"] = code.file, json["line"] = code.line;
  return json;
}

nlohmann::ordered_json losses_json(const Point& point) {
  const std::vector<Loss>* losses = losses_of(point);
  if (losses == nullptr) return nullptr;
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const Loss& loss : *losses) {
    const bool is_waiting = loss.state != WaitState::none;
    json.push_back({{"call", loss.call},
                    {"waiting_for", is_waiting ? nlohmann::ordered_json(name_of(loss.state)) : nullptr},
                    {"place", loss.place},
                    {"code", code_json(point.runs.front(), loss.place)},
                    {"seconds", loss.seconds},
                    {"share", loss.seconds / all_ranks_s(point)}});
  }
  return json;
}

std::string point_text(const Point& point, const SettingStudy& setting) {
  std::vector<MeaningRow> rows = meanings_of(point);
  std::ranges::move(comparisons_of(point, setting.sequential_source), std::back_inserter(rows));
  return title(point, setting) + "\n\n" + meanings_text(rows) + "\n" + ranks_text(point, setting.speeds) +
         losses_text(point);
}

}  // namespace loadshare::tool
