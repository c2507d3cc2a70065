#include "apps/loadshare/prediction_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "apps/loadshare/changes.hpp"
#include "apps/loadshare/output.hpp"
#include "base/io/text.hpp"
#include "base/names.hpp"
#include "runtime/transport/transport.hpp"

namespace loadshare::tool {
namespace {

using nlohmann::ordered_json;
using predictor::HostModel;
using predictor::Prediction;
using Cells = std::vector<std::string>;

constexpr int prediction_file_schema = 1;

ordered_json host_json(const HostModel& host) {
  ordered_json json{{"name", host.name}, {"speed", host.speed}, {"available", host.available}};
  json["share"] = host.grant ? ordered_json(host.grant->share) : ordered_json(nullptr);
  json["link_bytes_per_s"] =
      host.link_bytes_per_s > 0 ? ordered_json(host.link_bytes_per_s) : ordered_json(nullptr);
  const predictor::Stay& stay = host.stay;
  json["comes_s"] = stay.is_late() ? ordered_json(stay.from_s) : ordered_json(nullptr);
  json["goes_s"] = stay.has_end() ? ordered_json(stay.until_s) : ordered_json(nullptr);
  json["is_lost"] = stay.has_end() && stay.end == predictor::Stay::End::is_lost;
  return json;
}

/// The mean over all iterations.
double iteration_s(const predictor::FarmModel& model) {
  return model.loop.cost.total_s() / static_cast<double>(std::max<Index>(model.iterations(), 1));
}

ordered_json setting_json(const Question& question) {
  const predictor::FarmSetting& setting = question.setting;
  ordered_json hosts = ordered_json::array();
  for (const HostModel& host : setting.hosts) hosts.push_back(host_json(host));
  return {{"program", question.program},
          {"iterations", question.model.iterations()},
          {"iteration_name", question.iteration_name},
          {"iteration_s", iteration_s(question.model)},
          {"waiting_share", question.model.loop.waiting_share},
          {"runs", question.runs},
          {"master",
           name_among(master_modes, setting.master_works ? MasterMode::works : MasterMode::coordinates)},
          {"master_rank", setting.master_rank},
          {"prefetch", setting.prefetch},
          {"reissue", setting.reissue == Reissue::on},
          {"load", setting.load ? ordered_json(setting.load->text) : ordered_json(nullptr)},
          {"messages", question.network_text},
          {"journal_iteration_s", question.model.costs.journal_each_s > 0
                                      ? ordered_json(question.model.costs.journal_each_s)
                                      : ordered_json(nullptr)},
          {"hosts", std::move(hosts)}};
}

ordered_json prediction_json(const Prediction& one) {
  return {{"scheduler", one.scheduler},
          {"makespan_s", one.makespan_s},
          {"low_s", one.has_left ? ordered_json(nullptr) : ordered_json(one.low_s)},
          {"high_s", one.has_left ? ordered_json(nullptr) : ordered_json(one.high_s)},
          {"busy", one.busy},
          {"idle", one.idle},
          {"messages", one.messages},
          {"chunks_at_once", one.most_at_once},
          {"lost_iterations", one.lost_iterations},
          {"lost_s", one.lost_s},
          {"bound", name_of(one.bound)},
          {"work_bound_s", one.bounds.work_s},
          {"network_bound_s", one.bounds.network_s},
          {"master_bound_s", one.bounds.master_s},
          {"makespans_s", one.makespans_s}};
}

ordered_json chunk_json(const ChunkRecord& chunk) {
  return {
      {"first", chunk.chunk.first},     {"size", chunk.chunk.size},       {"worker", to_number(chunk.worker)},
      {"assigned_s", chunk.assigned_s}, {"received_s", chunk.received_s}, {"begun_s", chunk.begun_s},
      {"ended_s", chunk.ended_s},       {"returned_s", chunk.returned_s}, {"waited_s", chunk.waited_s}};
}

ordered_json chunks_json(const std::vector<ChunkRecord>& chunks) {
  ordered_json json = ordered_json::array();
  for (const ChunkRecord& chunk : chunks) json.push_back(chunk_json(chunk));
  return json;
}

ordered_json load_phases_json(const std::vector<std::vector<LoadPhase>>& of_workers) {
  ordered_json json = ordered_json::array();
  for (const std::vector<LoadPhase>& phases : of_workers) {
    ordered_json own = ordered_json::array();
    for (const LoadPhase& phase : phases)
      own.push_back({{"from_s", phase.from_s}, {"to_s", phase.to_s}, {"share", phase.share}});
    json.push_back(std::move(own));
  }
  return json;
}

ordered_json choice_json(const FarmPrediction& all) {
  ordered_json level = ordered_json::array();
  for (const std::size_t i : all.choice.level) level.push_back(all.predictions[i].scheduler);
  return {{"scheduler", all.predictions[all.choice.chosen].scheduler},
          {"is_tie", all.choice.is_tie()},
          {"level", std::move(level)}};
}

ordered_json host_counts_json(const std::vector<predictor::HostCount>& counts) {
  ordered_json json = ordered_json::array();
  for (const predictor::HostCount& row : counts)
    json.push_back({{"hosts", row.hosts},
                    {"scheduler", row.scheduler},
                    {"makespan_s", row.makespan_s},
                    {"gain", row.gain}});
  return json;
}

ordered_json without_json(const std::optional<predictor::WithoutChanges>& without) {
  if (!without) return nullptr;
  const auto& unkept_s = without->without_journal_s;
  return {{"makespan_s", without->makespan_s},
          {"makespan_without_journal_s", unkept_s ? ordered_json(*unkept_s) : ordered_json(nullptr)}};
}

}  // namespace

std::string farm_prediction_json(const Question& question, const FarmPrediction& prediction) {
  ordered_json json{{"schema", prediction_file_schema}, {"setting", setting_json(question)}};
  json["predictions"] = ordered_json::array();
  for (const Prediction& one : prediction.predictions) json["predictions"].push_back(prediction_json(one));
  json["choice"] = choice_json(prediction);
  json["without_changes"] = without_json(prediction.without);
  json["host_counts"] = host_counts_json(prediction.host_counts);
  json["seconds"] = prediction.seconds;
  json["guesses"] = question.guesses;
  json["notes"] = question.notes;
  json["chunks"] = chunks_json(prediction.chunks);
  json["chunks_are_all"] = prediction.are_all_chunks;
  json["load_phases"] = load_phases_json(prediction.load_phases);
  return file_text(json, 2);
}

namespace {

constexpr std::size_t most_rows = 5;
constexpr std::size_t most_named = 4;

std::string host_kind(const HostModel& host) {
  const double share = host.grant ? host.grant->share : host.speed;
  return fmt::format("{:.3g}", share * host.available);
}

/// "9 hosts (6 of speed 0.1, 3 of 0.3)".
std::string hosts_text(const std::vector<HostModel>& hosts) {
  std::map<std::string, Index> kinds;
  for (const HostModel& host : hosts) ++kinds[host_kind(host)];
  std::string text = count_text(static_cast<Index>(hosts.size()), "rank", "ranks") + " (";
  std::size_t named = 0;
  for (const auto& [kind, count] : kinds) {
    if (++named > most_named) return text + fmt::format(", {} more kinds)", kinds.size() - most_named);
    text += fmt::format("{}{} of speed {}", named > 1 ? ", " : "", grouped_text(count), kind);
  }
  return text + ")";
}

std::string where_text(const Question& question) {
  const predictor::FarmSetting& setting = question.setting;
  std::string text =
      fmt::format("{}: {} {} on {}", question.program, grouped_text(question.model.iterations()),
                  question.iteration_name, hosts_text(setting.hosts));
  text += fmt::format(", the master {} on {}", setting.master_works ? "works" : "only coordinates",
                      setting.hosts[setting.master_rank].name);
  return text + (setting.load ? ", under the load " + setting.load->text : ", without a load");
}

/// The hosts that join and leave, and the assumed cost of a journal.
std::string what_if_text(const Question& question) {
  std::string text = changes_text(question.setting.hosts);
  if (const double each_s = question.model.costs.journal_each_s; each_s > 0)
    text +=
        fmt::format("{}a journal takes {} per iteration", text.empty() ? "" : "; ", duration_text(each_s));
  return text.empty() ? "" : wrapped("changes: " + text, metrics_width, 2) + "\n";
}

std::string costs_text(const Question& question) {
  std::string text = fmt::format("an iteration costs {} {}", duration_text(iteration_s(question.model)),
                                 cost_kind_text(question.model.loop.waiting_share));
  if (is_uneven(question.model)) text += " on average (the costs are unequal)";
  if (question.runs > 0)
    text += fmt::format(", according to {}", count_text(static_cast<Index>(question.runs), "run", "runs"));
  return text + fmt::format("; messages: {}", question.network_text);
}

bool has_interval(const Prediction& one) {
  return one.makespans_s.size() > 1 && !one.has_left;
}

Cells row_of(const Prediction& one) {
  return {one.scheduler,
          duration_text(one.makespan_s),
          has_interval(one) ? duration_text(one.low_s) : "-",
          has_interval(one) ? duration_text(one.high_s) : "-",
          fmt::format("{:.1f}", 100 * one.busy),
          fmt::format("{:.1f}", 100 * one.idle),
          grouped_text(static_cast<Index>(one.messages + 0.5)),
          std::string(name_of(one.bound))};
}

/// All of them, in the order asked for; or the chosen one and the best of the others.
std::vector<const Prediction*> shown(const FarmPrediction& all) {
  std::vector<const Prediction*> rows;
  for (const Prediction& one : all.predictions) rows.push_back(&one);
  if (all.is_of_named) return rows;
  std::ranges::stable_sort(rows, {}, [](const Prediction* one) { return one->makespan_s; });
  const auto chosen = std::ranges::find(rows, &all.predictions[all.choice.chosen]);
  std::rotate(rows.begin(), chosen, chosen + 1);
  if (!all.shows_all && rows.size() > most_rows) rows.resize(most_rows);
  return rows;
}

std::string table_of(const FarmPrediction& all) {
  std::vector<Cells> rows{
      {"scheduler", "makespan", "9 of 10 from", "to", "busy%", "idle%", "messages", "bound"}};
  const std::vector<const Prediction*> shown_ones = shown(all);
  for (const Prediction* one : shown_ones) rows.push_back(row_of(*one));
  std::string text = table_text(rows, 1);
  if (std::ranges::any_of(shown_ones, &Prediction::has_left))
    text += "(no interval: stopped early, because it was more than 1 % slower than the best)\n";
  if (const std::size_t more = all.predictions.size() - shown_ones.size(); more > 0)
    text += fmt::format("{}: --all shows them\n",
                        count_text(static_cast<Index>(more), "more scheduler", "more schedulers"));
  return text;
}

/// Names the schedulers that were not simulated chunk by chunk.
std::string bundles_text(const FarmPrediction& all) {
  std::string bundled;
  for (const Prediction& one : all.predictions)
    if (one.most_at_once > 1)
      bundled += fmt::format("{}{} (up to {})", bundled.empty() ? "" : ", ", one.scheduler,
                             grouped_text(one.most_at_once));
  if (bundled.empty()) return "";
  return wrapped("note: chunks that one worker gets in a row were simulated in bundles: " + bundled +
                     "; makespans differ from those of single chunks by less than 1 %, or 3 % under a quota; "
                     "if the master works itself and chunks take less than 300 us, by up to a factor of 2",
                 metrics_width, 6) +
         "\n";
}

/// "2.1 % less than gss, the scheduler of the last run (725 ms)"
std::string comparison_with(const Reference& reference, const Prediction& chosen) {
  if (reference.prediction.scheduler == chosen.scheduler) return "the scheduler of the last run";
  constexpr double about = 0.01;
  const double less = 1 - chosen.makespan_s / reference.prediction.makespan_s;
  const std::string than =
      fmt::format("{} ({})", reference.name, duration_text(reference.prediction.makespan_s));
  if (std::abs(less) < about) return "about as long as " + than;
  return fmt::format("{:.1f} % {} than {}", 100 * std::abs(less), less > 0 ? "less" : "more", than);
}

/// The schedulers that cannot be distinguished from the chosen one.
std::string tie_text(const FarmPrediction& all) {
  if (!all.choice.is_tie()) return "";
  std::string names;
  std::size_t count = 0;
  for (const std::size_t i : all.choice.level) {
    if (i == all.choice.chosen) continue;
    if (++count > most_named && !all.shows_all) continue;
    names += (names.empty() ? "" : ", ") + all.predictions[i].scheduler;
  }
  if (count > most_named && !all.shows_all) names += fmt::format(" and {} more", count - most_named);
  return wrapped(fmt::format("a tie, within 1 %: {} is the simplest; as good: {}",
                             all.predictions[all.choice.chosen].scheduler, names),
                 metrics_width, 2) +
         "\n";
}

/// The answer: the scheduler to use, its time, and how much better that is.
std::string choice_text(const FarmPrediction& all) {
  const Prediction& chosen = all.predictions[all.choice.chosen];
  const char* label = all.predictions.size() == 1 ? "predicted" : all.is_of_named ? "best" : "recommended";
  std::string text = fmt::format("{}: {}, {}", label, chosen.scheduler, duration_text(chosen.makespan_s));
  if (has_interval(chosen))
    text += fmt::format(" (9 of 10 runs from {} to {})", duration_text(chosen.low_s),
                        duration_text(chosen.high_s));
  if (all.reference) text += ", " + comparison_with(*all.reference, chosen);
  return wrapped(text, metrics_width, 2) + "\n" + tie_text(all);
}

std::string bounds_text(const FarmPrediction& all) {
  const Prediction& chosen = all.predictions[all.choice.chosen];
  return fmt::format("lower bounds for {}: work {}, network {}, master {}\n", chosen.scheduler,
                     duration_text(chosen.bounds.work_s), duration_text(chosen.bounds.network_s),
                     duration_text(chosen.bounds.master_s));
}

/// "without the journal it takes 1.96 s, 2.0 % less"
std::string beside_text(double makespan_s, double without_s, const char* what) {
  const double less = 1 - without_s / makespan_s;
  return fmt::format("without {} it takes {}, {:.1f} % {}\n", what, duration_text(without_s),
                     100 * std::abs(less), less < 0 ? "more" : "less");
}

std::string without_text(const Question& question, const FarmPrediction& all) {
  if (!all.without) return "";
  const Prediction& chosen = all.predictions[all.choice.chosen];
  std::string text = beside_text(chosen.makespan_s, all.without->makespan_s, "these changes");
  if (const auto& unkept_s = all.without->without_journal_s)
    text += beside_text(chosen.makespan_s, *unkept_s, "the journal");
  if (chosen.lost_iterations > 0)
    text += fmt::format("computed again: {} {}, on which lost workers had spent {}\n",
                        grouped_text(static_cast<Index>(chosen.lost_iterations + 0.5)),
                        question.iteration_name, duration_text(chosen.lost_s));
  return text;
}

std::string enough_text(const std::vector<predictor::HostCount>& counts) {
  if (counts.empty()) return "";
  const predictor::HostCount& enough = enough_hosts(counts);
  return fmt::format("{} enough: within 5 % of the best, {}\n",
                     count_text(static_cast<Index>(enough.hosts), "host is", "hosts are"),
                     duration_text(enough.makespan_s));
}

std::string host_counts_text(const std::vector<predictor::HostCount>& counts) {
  if (counts.empty()) return "";
  std::vector<Cells> rows{{"scheduler", "hosts", "makespan", "each further host saves%"}};
  for (const predictor::HostCount& row : counts)
    rows.push_back({row.scheduler, grouped_text(static_cast<Index>(row.hosts)), duration_text(row.makespan_s),
                    &row == &counts.front() ? "" : fmt::format("{:.1f}", 100 * row.gain)});
  return "\n" + table_text(rows, 1);
}

std::string labelled(const char* label, const std::vector<std::string>& texts) {
  std::string lines;
  for (const std::string& text : texts)
    lines += wrapped(label + text, metrics_width, static_cast<int>(std::string_view(label).size())) + "\n";
  return lines;
}

}  // namespace

// First the answer and what it assumes, then the table, then the setting.
std::string farm_prediction_text(const Question& question, const FarmPrediction& prediction) {
  return choice_text(prediction) + enough_text(prediction.host_counts) + without_text(question, prediction) +
         labelled("caution: ", question.guesses) + "\n" + table_of(prediction) +
         host_counts_text(prediction.host_counts) + "\n" + wrapped(where_text(question), metrics_width, 2) +
         "\n" + wrapped(costs_text(question), metrics_width, 2) + "\n" + what_if_text(question) +
         bounds_text(prediction) + bundles_text(prediction) + labelled("note: ", question.notes);
}

}  // namespace loadshare::tool
