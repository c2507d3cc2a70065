#include "apps/loadshare/metrics/meanings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "apps/loadshare/metrics/wording.hpp"
#include "runtime/timing/wording.hpp"

namespace loadshare::tool {
namespace {

using granularity::Figure;
using granularity::Figures;
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
           "from the first rank's begin to the last one's end, on p = " +
               count_text(static_cast<Index>(*median.processors), "processor", "processors"));
  rows.add("cost p T_p", &Figures::cost_s, duration_text,
           "processor time taken from everybody else, used or not");
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
           "p E: as much as so many processors do that only compute");
  rows.add("G communication", &Figures::granularity_communication, figure_text,
           "T_comp / T_comm: computing " + times_text(median.granularity_communication, "communicating"));
  rows.add("stolen", &Figures::stolen, percent_text,
           "of the time, others had the processor while the ranks wanted to compute");
  rows.add("G not stolen", &Figures::granularity_without_stolen, figure_text,
           "T_comp / (T_comm + T_idle): of the time that the program was given");
  rows.add("E not stolen", &Figures::efficiency_without_stolen, percent_text,
           "what the program made of the time it was given");
}

void add_balance(Rows& rows, const Point& point) {
  rows.add("load balance", &Figures::load_balance, percent_text,
           fmt::format("mean over largest T_comp: the rest is what the others compute less than {}",
                       busiest_text(point)));
  rows.add("communication", &Figures::communication_efficiency, percent_text,
           "largest T_comp over T_p: the rest is what even that rank did not compute");
  rows.add("parallel", &Figures::parallel_efficiency, percent_text,
           "run by run the product of these two: E again, as POP splits it");
}

std::string points_text(double difference) {
  return fmt::format("{:+.1f} points", difference * 100);
}

/// T_seq is all the time of that run, whatever it went into.
std::string difference_text(double difference) {
  const char* place = difference < 0 ? "below" : "above";
  const char* cause = difference < 0 ? "less than T_seq, in which what that run lost counts too"
                                     : "more than T_seq, the extra computing";
  return fmt::format("so far E by granularity lies {} it: the ranks together computed {}", place, cause);
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
      "that over p, the classical efficiency");
  add("  E minus it", points_text(*figures.difference), difference_text(*figures.difference));
  add("  extra computing", percent_text(*figures.extra_computing), extra_text(*figures.extra_computing));
  if (!figures.efficiency_h) return;
  add(fmt::format("  {} E_H", kind), percent_text(*figures.efficiency_h),
      "that speedup over the virtual processors");
  add("  E_H minus it", points_text(*figures.difference_h), "the same comparison for unequal processors");
}

}  // namespace

std::vector<MeaningRow> meanings_of(const Point& point) {
  Rows rows(point);
  add_times(rows, point.spread.median);
  add_granularity(rows, point.spread.median);
  add_balance(rows, point);
  return rows.take();
}

std::vector<MeaningRow> comparisons_of(const Point& point, const std::string& sequential_source) {
  Rows heterogeneous(point);
  heterogeneous.add(
      "virtual processors", &Figures::virtual_processors, figure_text,
      "VP = sum of S_i / S_1 (the last column below): so many like the reference are they together");
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

}  // namespace loadshare::tool
