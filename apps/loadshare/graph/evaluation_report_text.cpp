#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "apps/loadshare/graph/evaluation_report.hpp"
#include "apps/loadshare/metrics/wording.hpp"
#include "runtime/timing/wording.hpp"

namespace loadshare::tool {
namespace {

using timing_graph::ProcessTimes;
using Cells = std::vector<std::string>;

constexpr std::size_t most_ranks_shown = 32;
constexpr std::size_t shown_at_each_end = 12;
constexpr std::size_t most_shares_shown = 8;

std::string title(const EvaluationReport& report) {
  std::string text = report.name;
  for (const timing_graph::Setting& setting : report.settings)
    text += fmt::format("{} {} = {}", setting.name == report.settings.front().name ? ":" : ",", setting.name,
                        setting.value);
  return text + fmt::format("; messages cost {}", report.costs);
}

std::string makespans(const EvaluationReport& report) {
  return fmt::format(
      "makespan  {:>10}  messages matched: a receive waits for its send\n"
      "T_exec    {:>10}  max over the processes of the sum of their parts\n",
      duration_text(report.matched.makespan_s), duration_text(report.sum.t_exec_s));
}

Cells rank_cells(const EvaluationReport& report, std::size_t rank) {
  const ProcessTimes& times = report.matched.processes[rank];
  return {fmt::format("{}", rank),
          duration_text(times.computing_s),
          duration_text(times.communicating_s),
          duration_text(times.idle_s),
          duration_text(times.finish_s),
          duration_text(report.sum.processes[rank].finish_s)};
}

std::string ranks_table(const EvaluationReport& report) {
  std::vector<Cells> rows{{"rank", "computing", "communicating", "idle", "finish", "sum of parts"}};
  const std::size_t count = report.matched.processes.size();
  for (std::size_t rank = 0; rank < count; ++rank) {
    const bool is_left_out =
        count > most_ranks_shown && rank >= shown_at_each_end && rank < count - shown_at_each_end;
    if (!is_left_out)
      rows.push_back(rank_cells(report, rank));
    else if (rank == shown_at_each_end)
      rows.push_back({"...", fmt::format("{} more", count - 2 * shown_at_each_end), "", "", "", ""});
  }
  return table_text(rows);
}

/// One step on the critical path, whoever makes it.
struct StepShare {
  std::uint32_t origin = 0;
  double seconds = 0;
  int ranks = 0;
};

std::vector<StepShare> step_shares(const EvaluationReport& report) {
  std::map<std::uint32_t, StepShare> sums;
  for (const PathShare& share : path_shares(report.matched)) {
    StepShare& sum = sums[share.origin];
    sum = {share.origin, sum.seconds + share.seconds, sum.ranks + 1};
  }
  std::vector<StepShare> shares;
  for (const auto& [origin, share] : sums) shares.push_back(share);
  std::ranges::stable_sort(shares, std::ranges::greater{}, &StepShare::seconds);
  return shares;
}

Cells step_cells(const EvaluationReport& report, const StepShare& share) {
  const timing_graph::Origin& origin = report.program.origins[share.origin];
  return {origin.name, text_of(origin.place), fmt::format("{}", share.ranks), duration_text(share.seconds),
          percent_text(share.seconds / report.matched.makespan_s)};
}

std::string path_table(const EvaluationReport& report) {
  const std::vector<StepShare> shares = step_shares(report);
  if (shares.empty()) return "";
  const std::size_t shown = std::min(shares.size(), most_shares_shown);
  std::vector<Cells> rows{{"step", "place", "on ranks", "time", "share"}};
  for (std::size_t i = 0; i < shown; ++i) rows.push_back(step_cells(report, shares[i]));
  const std::string rest =
      shown == shares.size() ? "" : fmt::format("... and {} more\n", shares.size() - shown);
  return "\non the critical path\n" + table_text(rows, 2) + rest;
}

}  // namespace

std::vector<PathShare> path_shares(const timing_graph::Evaluation& evaluation) {
  std::map<std::pair<std::int32_t, std::uint32_t>, double> sums_s;
  for (const timing_graph::PathPart& part : evaluation.critical_path)
    sums_s[{part.process, part.origin}] += part.end_s - part.begin_s;
  std::vector<PathShare> shares;
  for (const auto& [who, seconds] : sums_s) shares.push_back({who.first, who.second, seconds});
  std::ranges::stable_sort(shares, std::ranges::greater{}, &PathShare::seconds);
  return shares;
}

std::string evaluation_text(const EvaluationReport& report) {
  return title(report) + "\n\n" + makespans(report) + "\n" + ranks_table(report) + path_table(report) +
         notes_text(report.matched.notes);
}

}  // namespace loadshare::tool
