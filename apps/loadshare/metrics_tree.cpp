#include "apps/loadshare/metrics_tree.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <numeric>
#include <span>
#include <string_view>

#include "base/io/terminal.hpp"
#include "base/io/text.hpp"
#include "base/statistics.hpp"

namespace loadshare::tool {
namespace {

using granularity::Figure;
using granularity::Figures;
using waiting::Loss;
using waiting::WaitState;

/// One line of the tree.
struct Factor {
  int depth;
  std::string_view name;
  std::string_view meaning;
  Figure (*of)(const Point&);
};

template <Figure Figures::*member>
Figure median(const Point& point) {
  return point.spread.median.*member;
}

/// What transfer is told by: a run on a network of no cost, or the times that went into moving data alone.
enum class Basis { ideal_network, times };

template <Basis basis>
Figure transfer(const Point& point) {
  const Figures& figures = point.spread.median;
  return figures.ideal_run_s.has_value() == (basis == Basis::ideal_network) ? figures.factor_transfer
                                                                            : Figure();
}

constexpr std::array factors{
    Factor{0, "global efficiency", "parallel efficiency x computation scaling",
           [](const Point& point) { return point.global_efficiency; }},
    Factor{1, "parallel efficiency", "of the processors' time goes into computing",
           median<&Figures::efficiency>},
    Factor{2, "load balance", "the rest: waiting for ranks that compute more",
           median<&Figures::factor_load_balance>},
    Factor{2, "communication", "serialisation x transfer", median<&Figures::factor_communication>},
    Factor{3, "serialisation", "the rest: other waiting among ranks", median<&Figures::factor_serialisation>},
    Factor{3, "transfer", "the rest: moving data, and waiting for data", transfer<Basis::ideal_network>},
    Factor{3, "transfer", "the rest: moving data", transfer<Basis::times>},
    Factor{2, "processor", "the rest: lost to other programs", median<&Figures::factor_processor>},
    Factor{1, "computation scaling", "computing on the fewest ranks over that on these",
           [](const Point& point) { return point.computation_scaling; }},
    Factor{0, "of the whole run", "parallel efficiency with unmarked parts",
           [](const Point& point) { return point.whole ? point.whole->efficiency : Figure(); }}};

constexpr int indent = 2;
constexpr int name_width = 23;
constexpr int number_width = 9;

/// Good, fair and bad, as the POP project has it for the first.
constexpr double least_good = 0.8;
constexpr double least_fair = 0.6;

std::string coloured(const std::string& text, double share, const TreeStyle& style) {
  if (!style.colours) return text;
  const char* const colour = share >= least_good ? "32" : share >= least_fair ? "33" : "31";
  return fmt::format("\x1b[{}m{}\x1b[0m", colour, text);
}

std::string bar(double share, int width) {
  const int full = static_cast<int>(std::clamp(share, 0.0, 1.0) * width + 0.5);
  return std::string(static_cast<std::size_t>(full), '#') +
         std::string(static_cast<std::size_t>(width - full), '.');
}

/// Of which no point knows anything, there is no line.
bool is_told(const Factor& factor, std::span<const Point> points) {
  return std::ranges::any_of(points, [&](const Point& point) { return factor.of(point).has_value(); });
}

/// Without a global efficiency the tree begins at the parallel one.
int depth_of(const Factor& factor, std::span<const Point> points) {
  return std::max(0, factor.depth - (is_told(factors.front(), points) ? 0 : 1));
}

std::string name_of(const Factor& factor, std::span<const Point> points) {
  return std::string(static_cast<std::size_t>(indent * depth_of(factor, points)), ' ') +
         std::string(factor.name);
}

std::string without_end(std::string line) {
  line.resize(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

/// "85.2 %  ######....", of this width in all; the bar as far as there is room.
std::string cell(const Figure& share, int width, int bar_width, const TreeStyle& style) {
  if (!share) return fmt::format("{:>{}}{:{}}", "-", number_width, "", width - number_width);
  std::string text = fmt::format("{:>{}}", percent_text(*share), number_width);
  if (bar_width > 0) text += " " + bar(*share, bar_width);
  const int rest = width - static_cast<int>(text.size());
  return coloured(text, *share, style) + std::string(static_cast<std::size_t>(std::max(0, rest)), ' ');
}

constexpr int least_bar = 4;
constexpr int widest_bar = 20;
constexpr int gap = 2;

int bar_width(int room) {
  const int width = std::min(widest_bar, room - number_width - 1);
  return width < least_bar ? 0 : width;
}

/// A factor a line. The bars get shorter, or are left out, so that the meanings fit; then these wrap.
std::string tree_of_one(std::span<const Point> point, const TreeStyle& style) {
  std::size_t widest_meaning = 0;
  for (const Factor& factor : factors)
    if (is_told(factor, point)) widest_meaning = std::max(widest_meaning, factor.meaning.size());
  const int width = bar_width(style.columns - name_width - gap - static_cast<int>(widest_meaning));
  const int cell_width = number_width + (width > 0 ? 1 + width : 0);
  constexpr int least_room = 16;  // for a meaning; in less it would be a column of single words
  const int room = style.columns - name_width - cell_width - gap;
  std::string text;
  for (const Factor& factor : factors) {
    if (!is_told(factor, point)) continue;
    std::string line = fmt::format("{:<{}}", name_of(factor, point), name_width) +
                       cell(factor.of(point.front()), cell_width, width, style);
    if (room >= least_room)
      line += std::string(gap, ' ') + hung(wrapped(factor.meaning, room, 0), style.columns - room);
    text += without_end(line);
  }
  return text;
}

/// As many columns as find room beside the names.
std::string table_of(std::span<const Point> all, std::span<const Point> points, const TreeStyle& style) {
  const int room = (style.columns - name_width) / static_cast<int>(points.size());
  const int width = bar_width(room - gap);
  const int cell_width = width > 0 ? number_width + 1 + width + gap : number_width;
  std::string head = fmt::format("{:{}}", "", name_width);
  for (const Point& point : points) {
    const std::string ranks = fmt::format("{:>{}}", fmt::format("p = {}", point.processors()), number_width);
    head += fmt::format("{:<{}}", ranks, cell_width);
  }
  std::string text = without_end(head);
  for (const Factor& factor : factors) {
    if (!is_told(factor, all)) continue;
    std::string line = fmt::format("{:<{}}", name_of(factor, all), name_width);
    for (const Point& point : points) line += cell(factor.of(point), cell_width, width, style);
    text += without_end(line);
  }
  return text;
}

std::string tree_of_several(std::span<const Point> points, const TreeStyle& style) {
  const auto most = static_cast<std::size_t>(std::max(1, (style.columns - name_width) / number_width));
  std::string text;
  for (std::size_t first = 0; first < points.size(); first += most)
    text += (first > 0 ? "\n" : "") +
            table_of(points, points.subspan(first, std::min(most, points.size() - first)), style);
  return text;
}

/// What the ranks' time was lost to, in seconds of the medians; its sum is all that was no computing.
struct Costs {
  double computing_s = 0;
  double imbalance_s = 0;
  double waiting_s = 0;  ///< of other kinds; where idle is not told apart, moving data too
  double moving_s = 0;
  double stolen_s = 0;

  double all_s() const { return computing_s + imbalance_s + waiting_s + moving_s + stolen_s; }
  double most_s() const { return std::max({imbalance_s, waiting_s, moving_s, stolen_s}); }
};

Costs costs_of(const Figures& figures) {
  Costs costs;
  costs.computing_s = *figures.computing_s;
  costs.stolen_s = *figures.stolen_s;
  const double balance = figures.factor_load_balance.value_or(1);
  const double waiting_s = figures.idle_s.value_or(*figures.communicating_s);
  if (balance > 0) costs.imbalance_s = std::min(waiting_s, costs.computing_s / balance - costs.computing_s);
  costs.waiting_s = waiting_s - costs.imbalance_s;
  if (figures.idle_s) costs.moving_s = *figures.communicating_s;
  return costs;
}

/// "rank 3", of those of a point.
std::string rank_text(const Point& point, std::size_t at) {
  return fmt::format("rank {}", point.runs.front().times.ranks[at].rank);
}

/// The rank with the largest share of a time, and that share: "rank 3 (12.5 %)".
std::string most_of(const Point& point, Figure Figures::*part_s) {
  const auto share = [&](const Figures& rank) { return (rank.*part_s).value_or(0) / *rank.run_s; };
  const auto most = std::ranges::max_element(point.ranks, {}, share);
  return fmt::format("{} ({})", rank_text(point, static_cast<std::size_t>(most - point.ranks.begin())),
                     percent_text(share(*most)));
}

bool is_in_source(const SourcedRun& run, const waiting::Place& place) {
  const auto found = run.code.find(place.place);
  return found != run.code.end() && !found->second.file.empty();
}

std::string call_text(const SourcedRun& run, const waiting::Place& place) {
  return place.place.empty() ? std::string(place.call)
                             : fmt::format("{} in {}", place.call, code_text(run, place.place));
}

/// Where a rank computes more: "between main.c:35 and 41 in solve".
std::string excess_text(const SourcedRun& run) {
  const waiting::Place& from = run.excess->from;
  const waiting::Place& to = run.excess->to;
  if (from.call.empty() && to.call.empty()) return "without a call of MPI";
  if (from.call.empty()) return "before " + call_text(run, to);
  if (to.call.empty()) return "after " + call_text(run, from);
  if (from == to) return fmt::format("between calls of {}", call_text(run, to));
  if (is_in_source(run, from) && is_in_source(run, to)) {
    const profile::CodePlace& first = run.code.at(from.place);
    const profile::CodePlace& last = run.code.at(to.place);
    if (first.file == last.file && first.function == last.function)
      return fmt::format("between lines {} and {} of {} ({})", first.line, last.line,
                         std::filesystem::path(first.file).filename().string(), first.function);
  }
  return fmt::format("between {} and {}", call_text(run, from), call_text(run, to));
}

/// The mean computing of all ranks but that one.
double mean_of_others_s(const std::vector<double>& computing_s, std::size_t one) {
  const double sum_s = std::accumulate(computing_s.begin(), computing_s.end(), 0.0) - computing_s[one];
  return sum_s / static_cast<double>(std::max<std::size_t>(1, computing_s.size() - 1));
}

std::string others_text(const Point& point, std::size_t one) {
  return point.ranks.size() == 2 ? rank_text(point, 1 - one) : "the others on average";
}

/// Whoever lies furthest from the middle.
std::string imbalance_text(const Point& point) {
  std::vector<double> computing_s;
  for (const Figures& rank : point.ranks) computing_s.push_back(rank.computing_s.value_or(0));
  const auto [least, most] = std::ranges::minmax_element(computing_s);
  const double middle_s = median_of(computing_s);
  const auto lazy = static_cast<std::size_t>(least - computing_s.begin());
  const auto busy = static_cast<std::size_t>(most - computing_s.begin());
  if (middle_s - *least > *most - middle_s && point.ranks.size() > 2)
    return fmt::format(
        "{} spends {} of the time computing that {} spend: its processor is faster, or it has less work",
        rank_text(point, lazy), percent_text(*least / mean_of_others_s(computing_s, lazy)),
        others_text(point, lazy));
  const double others_s = mean_of_others_s(computing_s, busy);
  if (others_s <= 0) return fmt::format("only {} computes", rank_text(point, busy));
  std::string text = fmt::format("{} spends {} times as long computing as {}", rank_text(point, busy),
                                 number_text(*most / others_s), others_text(point, busy));
  const SourcedRun& run = point.runs.front();
  const bool is_one_run = point.runs.size() == 1 && run.excess.has_value();
  if (is_one_run && run.excess->own_s - run.excess->others_s > (*most - others_s) / 2)
    text += fmt::format(", mostly {}", excess_text(run));
  return text + ": its processor is slower, or it has more work";
}

/// The greatest of the losses that are waiting, or are not; null where no profile tells.
const Loss* greatest_loss(const Point& point, bool is_waiting) {
  if (point.runs.size() != 1) return nullptr;
  const std::vector<Loss>& losses = point.runs.front().losses;
  const auto found = std::ranges::find_if(
      losses, [&](const Loss& loss) { return waiting::is_waiting(loss.state) == is_waiting; });
  return found == losses.end() ? nullptr : &*found;
}

std::string loss_text(const Point& point, const Loss& loss) {
  const SourcedRun& run = point.runs.front();
  const double all_s = run.times.run_s * point.processors();
  std::string text = fmt::format(", the most in {}: {}", call_text(run, {loss.call, loss.place}),
                                 percent_text(loss.seconds / all_s));
  if (waiting::is_waiting(loss.state)) text += fmt::format(", {}", name_of(loss.state));
  return text;
}

/// What is less is no reason to do anything.
constexpr double least_to_name = 0.05;

std::string stolen_text(const Point& point, double all_s) {
  return fmt::format("other programs had the processor for {} of the time, most on {}",
                     percent_text(*point.spread.median.stolen_s / all_s), most_of(point, &Figures::stolen_s));
}

/// Where others had the processor, ranks may have waited for that.
std::string also_stolen_text(const Point& point, double all_s) {
  const bool is_much = *point.spread.median.stolen_s / all_s >= least_to_name;
  return is_much ? "; " + stolen_text(point, all_s) : "";
}

/// Of all waiting, that for ranks that compute more too: a call's losses do not tell the two apart.
std::string waiting_text(const Point& point, double all_s) {
  const Figures& median = point.spread.median;
  const bool is_apart = median.idle_s.has_value();
  const std::string text =
      fmt::format("ranks wait for one another{} for {} of the time", is_apart ? "" : " or move data",
                  percent_text(median.idle_s.value_or(*median.communicating_s) / all_s));
  const Loss* const loss = greatest_loss(point, true);
  const auto part_s = is_apart ? &Figures::idle_s : &Figures::communicating_s;
  return text + (loss != nullptr ? loss_text(point, *loss) : ", most on " + most_of(point, part_s)) +
         also_stolen_text(point, all_s);
}

std::string moving_text(const Point& point, double share) {
  const std::string text = fmt::format("ranks move data for {} of the time", percent_text(share));
  if (const Loss* loss = greatest_loss(point, false)) return text + loss_text(point, *loss);
  return text + ", most on " + most_of(point, &Figures::communicating_s);
}

Cause cause_of_lost_time(const Point& point) {
  const Costs costs = costs_of(point.spread.median);
  const double all_s = costs.all_s();
  const double most_s = costs.most_s();
  const double share = most_s / all_s;
  if (share < least_to_name)
    return {"", fmt::format("every kind of loss is less than {} of the time", percent_text(least_to_name))};
  if (most_s == costs.imbalance_s) return {"load_balance", imbalance_text(point)};
  if (most_s == costs.waiting_s)
    return {point.spread.median.idle_s ? "serialisation" : "communication", waiting_text(point, all_s)};
  if (most_s == costs.moving_s) return {"transfer", moving_text(point, share)};
  return {"processor", stolen_text(point, all_s)};
}

double lost_share(const Point& point) {
  const Costs costs = costs_of(point.spread.median);
  return costs.most_s() / costs.all_s();
}

std::string parts_text(const Point& point, const TreeStyle& style) {
  if (!point.whole) return "";
  const Figures& part = point.spread.median;
  return wrapped(fmt::format("part marked by MPI_Pcontrol, {}: efficiency {}; whole run, {}: efficiency {}",
                             duration_text(*part.run_s), percent_text(part.efficiency.value_or(0)),
                             duration_text(*point.whole->run_s),
                             percent_text(point.whole->efficiency.value_or(0))),
                 style.columns, 2) +
         "\n";
}

std::string title_of(const SettingStudy& setting, const Study& study) {
  const Point& last = setting.points.back();
  std::string title = setting_text(setting.setting, study.settings);
  if (setting.points.size() > 1) return title;
  title += " on " + count_text(last.processors(), "rank", "ranks");
  if (!last.whole) title += ", " + duration_text(*last.spread.median.run_s);
  if (last.runs.size() > 1) title += fmt::format(" (medians of {} runs)", last.runs.size());
  return title;
}

/// The answer in one sentence: the efficiency on the most ranks, and the greatest loss.
std::string answer_text(const SettingStudy& setting, const TreeStyle& style) {
  const Point& last = setting.points.back();
  const std::string where =
      setting.points.size() > 1 ? fmt::format("on {} ranks, ", last.processors()) : std::string();
  const std::string text =
      fmt::format("{}parallel efficiency {}: {}", where,
                  percent_text(last.spread.median.efficiency.value_or(0)), cause_of(last).text);
  return wrapped(text, style.columns, 2) + "\n";
}

}  // namespace

TreeStyle tree_style(int descriptor) {
  TreeStyle style{.columns = text_columns(descriptor, most_columns)};
  if (isatty(descriptor) == 0) return style;
  const char* const no_colour = std::getenv("NO_COLOR");
  const char* const terminal = std::getenv("TERM");
  style.colours = (no_colour == nullptr || *no_colour == 0) &&
                  !(terminal != nullptr && std::string_view(terminal) == "dumb");
  return style;
}

Cause cause_of(const Point& point) {
  const double more = 1 - point.computation_scaling.value_or(1);
  if (more < least_to_name || more < lost_share(point)) return cause_of_lost_time(point);
  return {"computation_scaling",
          fmt::format("all ranks together spend {} times as long computing as the fewest ranks do",
                      number_text(1 / *point.computation_scaling))};
}

std::string code_text(const SourcedRun& run, const std::string& place) {
  const auto found = run.code.find(place);
  if (found == run.code.end()) return place;
  const profile::CodePlace& code = found->second;
  if (code.file.empty()) return code.function;
  return fmt::format("{} ({}:{})", code.function, std::filesystem::path(code.file).filename().string(),
                     code.line);
}

std::string tree_text(const SettingStudy& setting, const Study& study, const TreeStyle& style) {
  const std::span<const Point> points = setting.points;
  const bool is_one = points.size() == 1;
  return printable_lines(wrapped(title_of(setting, study), style.columns, 2)) + "\n" +
         (is_one ? parts_text(points.front(), style) : "") + printable_lines(answer_text(setting, style)) +
         "\n" + (is_one ? tree_of_one(points, style) : tree_of_several(points, style));
}

}  // namespace loadshare::tool
