#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "apps/loadshare/command.hpp"
#include "apps/loadshare/output.hpp"
#include "apps/loadshare/question.hpp"
#include "base/error.hpp"
#include "base/io/files.hpp"
#include "base/io/text.hpp"
#include "base/names.hpp"
#include "base/quantities.hpp"
#include "models/farm/prediction.hpp"
#include "runtime/host/cgroup_quota.hpp"
#include "runtime/host/clock.hpp"
#include "runtime/transport/transport.hpp"
#include "schedulers/table.hpp"

namespace loadshare::tool {
namespace {

using nlohmann::ordered_json;
using predictor::HostModel;
using predictor::Prediction;
using Cells = std::vector<std::string>;

/// `loadshare predict`: what techniques would make of a loop on some hosts, before any of it is run.
struct FarmPredictRequest {
  QuestionRequest question;
  std::vector<std::string> schedulers;  ///< specs; none: those worth trying
  std::string replicates = "30";
  bool asks_how_many = false;  ///< hosts to take: also by the number of the hosts
  FigureFiles outputs;         ///< its plot is the chosen technique's Gantt chart
};

/// Everything that is told of a prediction.
struct FarmPrediction {
  std::vector<predictor::Prediction> predictions;  ///< in the order asked for
  predictor::Choice choice;
  std::vector<ChunkRecord> chunks;  ///< of the chosen technique's middle run, the first of them
  bool are_all_chunks = true;
  std::vector<std::vector<LoadPhase>> load_phases;  ///< by worker, while these chunks are computed
  std::vector<predictor::HostCount> host_counts;    ///< empty: not asked for
  double seconds = 0;                               ///< that it took to predict
};

constexpr int prediction_file_schema = 1;

ordered_json host_json(const HostModel& host) {
  ordered_json json{{"name", host.name}, {"speed", host.speed}, {"available", host.available}};
  json["share"] = host.grant ? ordered_json(host.grant->share) : ordered_json(nullptr);
  json["link_bytes_per_s"] =
      host.link_bytes_per_s > 0 ? ordered_json(host.link_bytes_per_s) : ordered_json(nullptr);
  return json;
}

/// The mean of them all: where they are unequal, a unit of their work is nothing that anybody knows.
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
          {"runs", question.runs},
          {"master",
           name_among(master_modes, setting.master_works ? MasterMode::works : MasterMode::coordinates)},
          {"master_rank", setting.master_rank},
          {"prefetch", setting.prefetch},
          {"reissue", setting.reissue == Reissue::on},
          {"load", setting.load ? ordered_json(setting.load->text) : ordered_json(nullptr)},
          {"messages", question.network_text},
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

/// As JSON, all of it, with a line end.
std::string farm_prediction_json(const Question& question, const FarmPrediction& prediction) {
  ordered_json json{{"schema", prediction_file_schema}, {"setting", setting_json(question)}};
  json["predictions"] = ordered_json::array();
  for (const Prediction& one : prediction.predictions) json["predictions"].push_back(prediction_json(one));
  json["choice"] = choice_json(prediction);
  json["host_counts"] = host_counts_json(prediction.host_counts);
  json["seconds"] = prediction.seconds;
  json["guesses"] = question.guesses;
  json["notes"] = question.notes;
  json["chunks"] = chunks_json(prediction.chunks);
  json["chunks_are_all"] = prediction.are_all_chunks;
  json["load_phases"] = load_phases_json(prediction.load_phases);
  return file_text(json, 2);
}

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
  std::string text =
      fmt::format("{}: {} {} on {}", question.program, grouped_text(question.model.iterations()),
                  question.iteration_name, hosts_text(setting.hosts));
  text += fmt::format(", the master {} on {}", setting.master_works ? "works" : "only coordinates",
                      setting.hosts[setting.master_rank].name);
  return text + (setting.load ? ", beside the load " + setting.load->text : ", without a load");
}

std::string costs_text(const Question& question) {
  std::string text =
      fmt::format("an iteration costs {} of a processor", duration_text(iteration_s(question.model)));
  if (is_uneven(question.model)) text += " in the mean, as they are unequal";
  if (question.runs > 0)
    text += fmt::format(", by {}", count_text(static_cast<Index>(question.runs), "run", "runs"));
  return text + fmt::format("; messages: {}", question.network_text);
}

Cells row_of(const Prediction& one) {
  const bool has_interval = one.makespans_s.size() > 1 && !one.has_left;
  return {one.scheduler,
          duration_text(one.makespan_s),
          has_interval ? duration_text(one.low_s) : "-",
          has_interval ? duration_text(one.high_s) : "-",
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
  if (std::ranges::any_of(all.predictions, &Prediction::has_left))
    text += "(without an interval: more than 1 % behind the best in so many runs that it was left there)\n";
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
                 metrics_width, 2) +
         "\n";
}

std::string bounds_text(const FarmPrediction& all) {
  const Prediction& chosen = all.predictions[all.choice.chosen];
  return fmt::format("no run of it is shorter than: its work {}, its network {}, its master {}\n",
                     duration_text(chosen.bounds.work_s), duration_text(chosen.bounds.network_s),
                     duration_text(chosen.bounds.master_s));
}

std::string host_counts_text(const std::vector<predictor::HostCount>& counts) {
  if (counts.empty()) return "";
  std::vector<Cells> rows{{"scheduler", "hosts", "makespan", "each further host saves%"}};
  for (const predictor::HostCount& row : counts)
    rows.push_back({row.scheduler, grouped_text(static_cast<Index>(row.hosts)), duration_text(row.makespan_s),
                    &row == &counts.front() ? "" : fmt::format("{:.1f}", 100 * row.gain)});
  const predictor::HostCount& enough = enough_hosts(counts);
  return "\n" + table_text(rows, 1) +
         fmt::format("{} enough: within 5 % of the best, {}\n",
                     count_text(static_cast<Index>(enough.hosts), "host is", "hosts are"),
                     duration_text(enough.makespan_s));
}

/// What a person reads, in lines of at most 100 characters; ends with a line end.
std::string farm_prediction_text(const Question& question, const FarmPrediction& prediction) {
  std::string text;
  for (const std::string& guess : question.guesses)
    text += wrapped("guess: " + guess, metrics_width, 7) + "\n";
  text += wrapped(where_text(question), metrics_width, 2) + "\n";
  text += wrapped(costs_text(question), metrics_width, 2) + "\n\n";
  text += table_of(prediction) + "\n" + choice_text(prediction) + bounds_text(prediction) +
          host_counts_text(prediction.host_counts);
  for (const std::string& note : question.notes) text += wrapped("note: " + note, metrics_width, 6) + "\n";
  return text;
}

constexpr Index most_replicates = 10'000;
constexpr std::size_t most_chunks_shown = 20'000;  // of a picture

/// What takes from a worker's processor until `end_s`.
std::vector<LoadPhase> load_phases(const predictor::Availability& load, double end_s) {
  std::vector<LoadPhase> phases;
  if (load.is_whole()) return phases;
  for (double from_s = 0; from_s < end_s && phases.size() < most_chunks_shown;) {
    const double to_s = std::min(end_s, load.next_change_s(from_s));
    if (const double share = 1 - load.rate_at(from_s); share > 0) phases.push_back({from_s, to_s, share});
    from_s = to_s;
  }
  return phases;
}

FarmPrediction answer_to(const Question& question, const FarmPredictRequest& request) {
  const Index replicates = whole_number("--replicates", request.replicates, 1, most_replicates);
  const SchedulerTable table = built_in_schedulers();
  for (const std::string& spec : request.schedulers) table.parse(spec);
  const int cores = granted_cores();
  const double begun_s = monotonic_s();
  const predictor::Predictor predictor(
      table,
      [&question](std::uint64_t replicate) {
        return make_scenario(question.model, question.setting, question.network, replicate);
      },
      has_chance(question.model, question.setting, question.network) ? static_cast<std::size_t>(replicates)
                                                                     : 1,
      cores);
  FarmPrediction all;
  all.predictions = request.schedulers.empty()
                        ? predictor.race(table.candidates(facts_of(predictor.middle())))
                        : predictor.predict(request.schedulers);
  all.choice = predictor::choose(all.predictions, table);
  if (!request.outputs.json.empty() || !request.outputs.plot.empty())
    all.chunks = predictor.chunks(all.predictions[all.choice.chosen], most_chunks_shown + 1);
  all.are_all_chunks = all.chunks.size() <= most_chunks_shown;
  if (!all.are_all_chunks) all.chunks.pop_back();
  double end_s = 0;
  for (const ChunkRecord& chunk : all.chunks) end_s = std::max(end_s, chunk.returned_s);
  for (const predictor::WorkerModel& worker : predictor.middle().workers)
    all.load_phases.push_back(load_phases(worker.load, end_s));
  if (request.asks_how_many)
    all.host_counts =
        predictor::predict_host_counts(question.model, question.setting, question.network, table,
                                       request.schedulers, static_cast<std::size_t>(replicates), cores);
  all.seconds = monotonic_s() - begun_s;
  return all;
}

/// No line that another line of the answer refutes: throws Error where there is one, which is a bug of ours.
void require_agreement(const FarmPrediction& all) {
  std::string found = predictor::contradiction_in(all.predictions, all.choice);
  const Prediction& chosen = all.predictions[all.choice.chosen];
  if (found.empty() && all.are_all_chunks && !all.chunks.empty())
    if (const double end_s = all.chunks.back().returned_s; end_s < chosen.low_s || end_s > chosen.high_s)
      found = fmt::format("the picture ends after {} s", end_s);
  if (!found.empty())
    throw Error(ExitCode::run_failed, "the prediction refutes itself", found,
                "this is a mistake of loadshare: please report it with the command");
}

/// Prints the table (to stderr where stdout is for the JSON), writes what was asked for. A chart is drawn by
/// python, which this process then goes on as. Throws UsageError on bad input.
ExitCode predict_farm(const FarmPredictRequest& request) {
  require_outputs(request.outputs, request.question.runs);
  const Question question = read_question(request.question);
  const FarmPrediction prediction = answer_to(question, request);
  require_agreement(prediction);
  answer(request.outputs, "the prediction", farm_prediction_text(question, prediction),
         farm_prediction_json(question, prediction), "gantt-plot");
  return ExitCode::good;
}

class Predict final : public Command {
 public:
  void describe(CLI::App& app) override {
    describe_loop(app);
    describe_hosts(app);
    describe_messages(app, request_.question.costs, request_.question.has_costs);
    const auto add = [&app](const char* name, auto& word, const char* type, const char* text) {
      return app.add_option(name, word, text)->type_name(type);
    };
    add("--scheduler", request_.schedulers, "SPEC", "techniques to predict (those worth trying)");
    add("--replicates", request_.replicates, "N", "runs of each, with other phases and deviations")
        ->capture_default_str();
    add("--plot", request_.outputs.plot, "FILE.svg|.png", "draw the best technique's run as a Gantt chart");
    add("--json", request_.outputs.json, "FILE|-",
        "write it as JSON; with - to stdout, and nothing else there");
    app.add_flag("--strict", request_.question.is_strict,
                 "a default where something is not known is an error");
  }

  ExitCode run() override { return predict_farm(request_); }

 private:
  void describe_loop(CLI::App& app) {
    QuestionRequest& loop = request_.question;
    const auto add = [&app](const char* name, std::string& word, const char* type, const char* text) {
      return app.add_option(name, word, text)->type_name(type);
    };
    app.add_option("RUN", loop.runs, "records of runs of the loop (--json), or sweeps' folders")
        ->type_name("FILE");
    add("--iterations", loop.iterations, "N", "of a loop by hand, or another number than was run");
    add("--cost", loop.cost, "TIME", "of an iteration by hand, on a processor of speed 1: 1ms");
    add("--input-bytes", loop.input_bytes, "N", "an iteration by hand")->capture_default_str();
    add("--result-bytes", loop.result_bytes, "N", "ditto")->capture_default_str();
    add("--shared-bytes", loop.shared_bytes, "N", "that every host needs, by hand")->capture_default_str();
  }

  void describe_hosts(CLI::App& app) {
    QuestionRequest& hosts = request_.question;
    const auto add = [&app](const char* name, std::string& word, const char* type, const char* text) {
      return app.add_option(name, word, text)->type_name(type);
    };
    add("--hosts", hosts.hosts, "HOSTS",
        "a lab's file, what loadshare survey wrote, or speeds: 6x0.1,3x0.3 (the last run's)");
    add("--master", hosts.master, "MODE", "works, or only coordinates");
    add("--master-rank", hosts.master_rank, "RANK", "the place of the master among the hosts");
    add("--prefetch", hosts.prefetch, "N", "chunks queued at a worker beyond the one it computes");
    add("--load", hosts.load, "SPEC", "a background load, as a farm application takes it, or none");
    app.add_flag("--how-many", request_.asks_how_many,
                 "also by the number of hosts: the first ones of the list, the master's in any case");
    app.add_flag("--reissue", hosts.reissue, "at the tail, give unfinished chunks again to idle workers");
  }

  FarmPredictRequest request_;
};

}  // namespace

std::unique_ptr<Command> make_predict_command() {
  return std::make_unique<Predict>();
}

}  // namespace loadshare::tool
