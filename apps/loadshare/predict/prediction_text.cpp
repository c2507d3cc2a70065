#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "apps/loadshare/metrics/wording.hpp"
#include "apps/loadshare/predict/prediction_report.hpp"
#include "runtime/timing/wording.hpp"

namespace loadshare::tool {
namespace {

using predictor::HostModel;
using predictor::Prediction;
using Cells = std::vector<std::string>;

constexpr int columns_wide = 100;
constexpr std::size_t most_rows = 24;

std::string host_kind(const HostModel& host) {
  const double share = host.grant ? host.grant->share : host.speed;
  return fmt::format("{:.3g}", share * host.available);
}

/// "9 hosts (6 of speed 0.1, 3 of 0.3)".
std::string hosts_text(const std::vector<HostModel>& hosts) {
  std::map<std::string, Index> kinds;
  for (const HostModel& host : hosts) ++kinds[host_kind(host)];
  std::string text = count_text(static_cast<Index>(hosts.size()), "rank", "ranks") + " (";
  std::size_t told = 0;
  for (const auto& [kind, count] : kinds) {
    if (++told > 4) return text + fmt::format(", {} more kinds)", kinds.size() - 4);
    text += fmt::format("{}{} of speed {}", told > 1 ? ", " : "", grouped_text(count), kind);
  }
  return text + ")";
}

std::string where_text(const Question& question) {
  const predictor::FarmSetting& setting = question.setting;
  std::string text = fmt::format("{}: {} {} on {}", question.program, grouped_text(question.model.iterations),
                                 question.iteration_name, hosts_text(setting.hosts));
  text += fmt::format(", the master {} on {}", setting.master_works ? "works" : "only coordinates",
                      setting.hosts[setting.master_rank].name);
  return text + (setting.load ? ", beside the load " + setting.load->text : ", without a load");
}

std::string costs_text(const Question& question) {
  std::string text = fmt::format("an iteration costs {} of a processor",
                                 duration_text(question.model.loop.seconds_per_work));
  if (question.runs > 0)
    text += fmt::format(", by {}", count_text(static_cast<Index>(question.runs), "run", "runs"));
  return text + fmt::format("; messages: {}", question.network_text);
}

Cells row_of(const Prediction& one) {
  return {one.scheduler,
          duration_text(one.makespan_s),
          one.makespans_s.size() > 1 ? duration_text(one.low_s) : "-",
          one.makespans_s.size() > 1 ? duration_text(one.high_s) : "-",
          fmt::format("{:.1f}", 100 * one.busy),
          fmt::format("{:.1f}", 100 * one.idle),
          grouped_text(static_cast<Index>(one.messages + 0.5)),
          std::string(name_of(one.bound))};
}

/// All of them in the order asked for, or, of many, the best.
std::vector<const Prediction*> shown(const FarmPrediction& all) {
  std::vector<const Prediction*> rows;
  for (const Prediction& one : all.predictions) rows.push_back(&one);
  if (rows.size() <= most_rows) return rows;
  std::ranges::stable_sort(rows, {}, [](const Prediction* one) { return one->makespan_s; });
  rows.resize(most_rows);
  return rows;
}

std::string table_of(const FarmPrediction& all) {
  std::vector<Cells> rows{
      {"scheduler", "makespan", "9 of 10 from", "to", "busy%", "idle%", "messages", "bound"}};
  for (const Prediction* one : shown(all)) rows.push_back(row_of(*one));
  std::string text = table_text(rows, 1);
  if (all.predictions.size() > most_rows)
    text += fmt::format("(the best {} of {})\n", most_rows, all.predictions.size());
  return text;
}

std::string choice_text(const FarmPrediction& all) {
  const predictor::Choice& choice = all.choice;
  const std::string& chosen = all.predictions[choice.chosen].scheduler;
  if (!choice.is_tie()) return fmt::format("best: {}\n", chosen);
  std::string others;
  for (const std::size_t i : choice.level)
    if (i != choice.chosen) others += (others.empty() ? "" : ", ") + all.predictions[i].scheduler;
  return wrapped(fmt::format("a tie, within 1 %; the simplest: {}; level with it: {}", chosen, others),
                 columns_wide, 2) +
         "\n";
}

std::string bounds_text(const FarmPrediction& all) {
  const Prediction& chosen = all.predictions[all.choice.chosen];
  return fmt::format("no run of it is shorter than: its work {}, its network {}, its master {}\n",
                     duration_text(chosen.bounds.work_s), duration_text(chosen.bounds.network_s),
                     duration_text(chosen.bounds.master_s));
}

std::string host_counts_text(const std::vector<HostCount>& counts) {
  if (counts.empty()) return "";
  std::vector<Cells> rows{{"scheduler", "hosts", "makespan", "each further host saves%"}};
  for (const HostCount& row : counts)
    rows.push_back({row.scheduler, grouped_text(static_cast<Index>(row.hosts)), duration_text(row.makespan_s),
                    &row == &counts.front() ? "" : fmt::format("{:.1f}", 100 * row.gain)});
  const HostCount& enough = enough_hosts(counts);
  return "\n" + table_text(rows, 1) +
         fmt::format("{} enough: within 5 % of the best, {}\n",
                     count_text(static_cast<Index>(enough.hosts), "host is", "hosts are"),
                     duration_text(enough.makespan_s));
}

}  // namespace

std::string farm_prediction_text(const Question& question, const FarmPrediction& prediction) {
  std::string text = wrapped(where_text(question), columns_wide, 2) + "\n";
  text += wrapped(costs_text(question), columns_wide, 2) + "\n\n";
  text += table_of(prediction) + "\n" + choice_text(prediction) + bounds_text(prediction) +
          host_counts_text(prediction.host_counts);
  for (const std::string& note : question.notes) text += wrapped("note: " + note, columns_wide, 6) + "\n";
  return text;
}

}  // namespace loadshare::tool
