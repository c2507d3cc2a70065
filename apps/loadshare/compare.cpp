#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "apps/loadshare/command.hpp"
#include "apps/loadshare/hosts.hpp"
#include "apps/loadshare/output.hpp"
#include "apps/loadshare/question.hpp"
#include "base/error.hpp"
#include "base/io/files.hpp"
#include "base/io/text.hpp"
#include "base/statistics.hpp"
#include "models/farm/backtest.hpp"
#include "models/farm/comparison.hpp"
#include "models/farm/prediction.hpp"
#include "runtime/host/cgroup_quota.hpp"

namespace loadshare::tool {
namespace {

using nlohmann::ordered_json;
using predictor::AutoRuns, predictor::ComparedPoint, predictor::ComparedSetting, predictor::Coverage,
    predictor::ErrorFigures, predictor::FarmRuns;
using Cells = std::vector<std::string>;

/// `loadshare compare`: predictions beside what was measured.
struct CompareRequest {
  std::vector<std::string> runs;  ///< sweeps' folders, files of records
  /// Where the model comes from: files of records. None: each technique is predicted from the runs of the
  /// others in its setting, so that no run predicts itself.
  std::vector<std::string> from;
  std::string own;  ///< the experiment of the sweeps that it comes from instead, which is not compared
  std::string hosts;
  bool is_at_run_speed = false;  ///< what an iteration costs is scaled to each run's own chunks
  CostsRequest costs;
  bool has_costs = false;
  bool is_strict = false;
  FigureFiles outputs;
};

/// Everything that is told of a comparison.
struct Comparison {
  std::string program;
  bool is_at_run_speed = false;       ///< see CompareRequest
  std::vector<std::string> networks;  ///< what messages cost, of each list of hosts, in words
  std::vector<ComparedSetting> settings;
  ErrorFigures etas;
  std::string disturbance;  ///< told first; empty: none
  std::vector<std::string> notes;
};

constexpr std::size_t replicates = 16;  // of each run, in pairs

/// Predicts runs one by one, each beside the load that it had.
class RunPredictor {
 public:
  RunPredictor(const CompareRequest& request, Comparison& comparison)
      : request_(request), comparison_(comparison), table_(built_in_schedulers()) {
    if (!request.hosts.empty()) hosts_ = read_hosts(request.hosts);
  }

  /// Of these runs, whose techniques tell how far off it is with others.
  predictor::FarmModel model_of(const std::vector<RunRecord>& runs) {
    const auto place_of = [this](const RunRecord& run) -> std::optional<predictor::RunPlace> {
      if (predictor::has_vanished_host(run) || (!hosts_.empty() && hosts_.size() != run.ranks.size()))
        return {};
      predictor::FarmSetting setting = setting_for(run);
      predictor::Network network = network_for(setting, false).network;
      return predictor::RunPlace{std::move(setting), std::move(network)};
    };
    predictor::FarmModel model = predictor::fit_farm(runs);
    model.error_deviation = predictor::held_out_deviation(runs, place_of, granted_cores()).value_or(0);
    return model;
  }

  predictor::Prediction predict(predictor::FarmModel model, const RunRecord& run) {
    if (request_.is_at_run_speed) {
      model.loop.run_factor = relative_cost(model.loop, run);
      model.loop.run_deviation = 0;
    }
    const predictor::FarmSetting setting = setting_for(run);
    const KnownNetwork& known = network_for(setting, request_.is_strict);
    tell(known);
    const predictor::Network& network = known.network;
    const auto make = [&](std::uint64_t replicate) {
      return make_scenario(model, setting, network, replicate);
    };
    return predictor::Predictor(table_, make, has_chance(model, setting, network) ? replicates : 1,
                                granted_cores())
        .predict(run.scheduler);
  }

 private:
  predictor::FarmSetting setting_for(const RunRecord& run) const {
    predictor::FarmSetting setting = predictor::setting_of(run);
    setting.knows_phases = true;
    if (hosts_.empty()) return setting;
    if (hosts_.size() != setting.hosts.size())
      throw UsageError("--hosts has " + std::to_string(hosts_.size()) + " hosts",
                       "a run had " + std::to_string(setting.hosts.size()) + " ranks",
                       "give those of the runs");
    setting.hosts = hosts_;
    return setting;
  }

  using HostLinks = std::vector<std::pair<std::string, double>>;

  struct KnownNetwork {
    predictor::Network network;
    std::string text;
    std::vector<std::string> notes;
  };

  /// Chosen once for each list of hosts and the master among them: sweeps may come from several. `is_strict`:
  /// not by default.
  const KnownNetwork& network_for(const predictor::FarmSetting& setting, bool is_strict) {
    HostLinks links;
    for (const predictor::HostModel& host : setting.hosts)
      links.emplace_back(host.name, host.link_bytes_per_s);
    const auto [place, is_new] = networks_.try_emplace({setting.master_rank, is_strict, std::move(links)});
    if (is_new) place->second = chosen_network(setting, is_strict);
    return place->second;
  }

  KnownNetwork chosen_network(const predictor::FarmSetting& setting, bool is_strict) const {
    Question question;
    question.setting = setting;
    QuestionRequest request;
    request.costs = request_.costs;
    request.has_costs = request_.has_costs;
    request.is_strict = is_strict;
    choose_network(request, question);
    std::ranges::copy(question.guesses, std::back_inserter(question.notes));
    return {std::move(question.network), std::move(question.network_text), std::move(question.notes)};
  }

  /// What messages cost, and on what that stands: each once.
  void tell(const KnownNetwork& known) {
    const auto add = [](const std::string& text, std::vector<std::string>& texts) {
      if (std::ranges::find(texts, text) == texts.end()) texts.push_back(text);
    };
    add(known.text, comparison_.networks);
    for (const std::string& note : known.notes) add(note, comparison_.notes);
  }

  const CompareRequest& request_;
  Comparison& comparison_;
  SchedulerTable table_;
  std::vector<predictor::HostModel> hosts_;
  std::map<std::tuple<std::size_t, bool, HostLinks>, KnownNetwork> networks_;
};

/// The runs that the models come from; none: they come from those that are compared.
FarmRuns own_runs(const CompareRequest& request, FarmRuns& measured) {
  if (!request.own.empty()) return take_experiment(measured, request.own);
  return request.from.empty() ? FarmRuns{} : predictor::read_farm_runs(request.from);
}

void predict_point(RunPredictor& predictor, const predictor::FarmModel& model, const FarmRuns& measured,
                   ComparedPoint& point) {
  std::vector<double> all_s;
  for (const std::size_t run : point.runs) {
    const predictor::Prediction one = predictor.predict(model, measured.runs[run]);
    point.predicted_s.push_back(one.makespan_s);
    all_s.insert(all_s.end(), one.makespans_s.begin(), one.makespans_s.end());
  }
  point.measured_median_s = median_of(point.measured_s);
  point.predicted_median_s = median_of(point.predicted_s);
  const Interval interval = prediction_interval(all_s);
  point.low_s = interval.low;
  point.high_s = interval.high;
}

void drop_settings_of_auto_alone(Comparison& all) {
  const std::size_t before = all.settings.size();
  std::erase_if(all.settings, [](const ComparedSetting& setting) { return setting.points.empty(); });
  if (all.settings.empty())
    throw UsageError("all runs chose their technique themselves", "auto is compared with others",
                     "give runs of the same loop with --scheduler gss or another");
  if (all.settings.size() < before)
    all.notes.emplace_back("settings that only auto ran in are left out: it is compared with others");
}

/// Nothing there can be predicted from another technique.
void drop_settings_of_one_technique(Comparison& all) {
  const auto is_of_one = [](const ComparedSetting& setting) {
    return std::ranges::all_of(setting.points, [&setting](const ComparedPoint& point) {
      return point.scheduler == setting.points.front().scheduler;
    });
  };
  const ComparedSetting first = all.settings.front();
  const auto dropped = std::erase_if(all.settings, is_of_one);
  if (all.settings.empty())
    throw UsageError(fmt::format("nothing to predict {} from", first.points.front().scheduler),
                     "no setting has two techniques, and no run may predict itself",
                     "give --from, records of other runs of the loop");
  if (dropped > 0)
    all.notes.push_back(count_text(static_cast<Index>(dropped), "setting", "settings") +
                        " of one technique left out: no run may predict itself");
}

bool is_own_technique(const ComparedPoint& point) {
  static const SchedulerTable table = built_in_schedulers();
  return !table.has_technique(point.scheduler);
}

/// Once the others have been predicted, from their runs too.
void drop_own_techniques(Comparison& all) {
  std::set<std::string> own;
  for (ComparedSetting& setting : all.settings) {
    for (const ComparedPoint& point : setting.points)
      if (is_own_technique(point)) own.insert(point.scheduler);
    std::erase_if(setting.points, is_own_technique);
  }
  if (own.empty()) return;
  const std::string why = "only the program itself has that technique";
  std::erase_if(all.settings, [](const ComparedSetting& setting) { return setting.points.empty(); });
  if (all.settings.empty())
    throw UsageError(fmt::format("{} cannot be predicted", fmt::join(own, ", ")), why,
                     "give runs of the same loop with --scheduler gss or another of `loadshare schedulers`");
  all.notes.push_back(fmt::format("{} left out: {}", fmt::join(own, ", "), why));
}

Comparison comparison_of(const CompareRequest& request) {
  FarmRuns measured = predictor::read_farm_runs(request.runs);
  leave_out_vanished(measured);
  const FarmRuns own = own_runs(request, measured);
  const predictor::Basis basis(measured, own);
  Comparison all;
  all.program = measured.runs.front().app;
  all.is_at_run_speed = request.is_at_run_speed;
  all.notes = measured.notes;
  all.settings = compared_settings(measured);
  all.etas = predictor::eta_errors(measured.runs);
  drop_settings_of_auto_alone(all);
  if (!basis.is_own()) drop_settings_of_one_technique(all);
  all.disturbance = predictor::disturbance_of(all.settings, measured);
  RunPredictor predictor(request, all);
  std::optional<predictor::FarmModel> model;
  for (ComparedSetting& setting : all.settings)
    for (ComparedPoint& point : setting.points) {
      if (is_own_technique(point)) continue;
      const std::vector<RunRecord> runs = basis.runs_for(setting, point);
      if (!model || !basis.is_own()) model = predictor.model_of(runs);
      predict_point(predictor, *model, measured, point);
    }
  drop_own_techniques(all);
  return all;
}

constexpr int schema = 1;

ordered_json text_or_null(const std::string& text) {
  return text.empty() ? ordered_json(nullptr) : ordered_json(text);
}

ordered_json point_json(const ComparedPoint& point) {
  return {{"scheduler", point.scheduler},
          {"point", text_or_null(point.id)},
          {"measured_s", point.measured_s},
          {"predicted_s", point.predicted_s},
          {"measured_median_s", point.measured_median_s},
          {"predicted_median_s", point.predicted_median_s},
          {"low_s", point.low_s},
          {"high_s", point.high_s},
          {"error", point.error()}};
}

ordered_json auto_json(const ComparedSetting& setting) {
  const AutoRuns& runs = setting.automatic;
  if (runs.chosen.empty()) return nullptr;
  ordered_json chosen = ordered_json::array();
  for (const std::string& scheduler : runs.chosen) chosen.push_back(text_or_null(scheduler));
  return {{"chosen", chosen},
          {"measured_s", runs.measured_s},
          {"foretold_s", runs.forecast_s},
          {"regret", setting.auto_regret()}};
}

ordered_json setting_json(const ComparedSetting& setting) {
  ordered_json json{{"name", setting.name},
                    {"sweep", text_or_null(setting.sweep)},
                    {"experiment", text_or_null(setting.experiment)},
                    {"has_load", setting.has_load}};
  json["points"] = ordered_json::array();
  for (const ComparedPoint& point : setting.points) json["points"].push_back(point_json(point));
  json["auto"] = auto_json(setting);
  json["chosen"] = setting.points[setting.chosen()].scheduler;
  json["best"] = setting.points[setting.best_measured()].scheduler;
  json["regret"] = setting.regret();
  json["order"] = setting.order();
  return json;
}

ordered_json figures_json(const ErrorFigures& figures) {
  if (figures.points == 0) return nullptr;
  return {{"points", figures.points},
          {"first_decile", figures.first_decile},
          {"signed_median", figures.signed_median},
          {"last_decile", figures.last_decile},
          {"median", figures.median},
          {"ninth_decile", figures.ninth_decile},
          {"worst", figures.worst}};
}

std::string signed_percent(double share) {
  return fmt::format("{:+.1f}", 100 * share);
}

std::string setting_table(const ComparedSetting& setting) {
  std::vector<Cells> rows{{"scheduler", "runs", "measured", "predicted", "error%", "9 of 10 from", "to"}};
  for (const ComparedPoint& point : setting.points)
    rows.push_back({point.scheduler, fmt::format("{}", point.runs.size()),
                    duration_text(point.measured_median_s), duration_text(point.predicted_median_s),
                    signed_percent(point.error()), duration_text(point.low_s), duration_text(point.high_s)});
  return table_text(rows, 1);
}

std::string choice_line(const ComparedSetting& setting) {
  if (setting.points.size() < 2) return "";
  return fmt::format("chosen: {}, best: {}, regret {:.1f} %; {:.0f} % of the pairs in order\n",
                     setting.points[setting.chosen()].scheduler,
                     setting.points[setting.best_measured()].scheduler, 100 * setting.regret(),
                     100 * setting.order());
}

/// "gss:9 (3 of 5), send:3 (2 of 5)".
std::string chosen_text(const AutoRuns& runs) {
  std::map<std::string, Index> counts;
  for (const std::string& chosen : runs.chosen) ++counts[chosen.empty() ? "none in time" : chosen];
  std::vector<std::pair<std::string, Index>> ordered(counts.begin(), counts.end());
  std::ranges::stable_sort(ordered, std::greater<>(), &std::pair<std::string, Index>::second);
  std::string text;
  for (const auto& [scheduler, count] : ordered)
    text += fmt::format("{}{} ({} of {})", text.empty() ? "" : ", ", scheduler, count, runs.chosen.size());
  return text;
}

std::string auto_lines(const ComparedSetting& setting) {
  const AutoRuns& runs = setting.automatic;
  if (runs.chosen.empty()) return "";
  const std::string text =
      fmt::format("auto took {}, regret {:.1f} %; it chose {}", duration_text(median_of(runs.measured_s)),
                  100 * setting.auto_regret(), chosen_text(runs));
  return wrapped(text, metrics_width, 2) + "\n";
}

Cells figures_row(const std::string& what, const ErrorFigures& figures) {
  return {what,
          fmt::format("{}", figures.points),
          signed_percent(figures.first_decile),
          signed_percent(figures.signed_median),
          signed_percent(figures.last_decile),
          fmt::format("{:.1f}", 100 * figures.median),
          fmt::format("{:.1f}", 100 * figures.ninth_decile),
          signed_percent(figures.worst)};
}

std::string figures_table(const Comparison& comparison) {
  std::vector<Cells> rows{
      {"error%", "of", "1st decile", "median", "9th decile", "|median|", "|9th decile|", "worst"}};
  const auto add = [&](const std::string& what, const ErrorFigures& figures) {
    if (figures.points > 0) rows.push_back(figures_row(what, figures));
  };
  add("makespan without a load", makespan_errors(comparison.settings, false));
  add("makespan beside a load", makespan_errors(comparison.settings, true));
  add("makespan forecast by auto", auto_errors(comparison.settings));
  add("end forecast while it ran", comparison.etas);
  add("regret of the choice", regrets(comparison.settings));
  add("regret of auto", auto_regrets(comparison.settings));
  return table_text(rows, 1);
}

std::string coverage_line(const Comparison& comparison) {
  const Coverage all = coverage(comparison.settings);
  if (all.runs == 0) return "";
  return fmt::format("{} of {} runs lie in their predicted intervals ({:.0f} %; 90 % should)\n", all.covered,
                     all.runs, 100.0 * static_cast<double>(all.covered) / static_cast<double>(all.runs));
}

std::string comparison_json(const Comparison& comparison) {
  ordered_json json{
      {"schema", schema}, {"program", comparison.program}, {"at_run_speed", comparison.is_at_run_speed}};
  json["messages"] = fmt::format("{}", fmt::join(comparison.networks, "; "));
  json["without_load"] = figures_json(makespan_errors(comparison.settings, false));
  json["with_load"] = figures_json(makespan_errors(comparison.settings, true));
  json["regret"] = figures_json(regrets(comparison.settings));
  json["auto_regret"] = figures_json(auto_regrets(comparison.settings));
  json["auto_foretold"] = figures_json(auto_errors(comparison.settings));
  json["etas"] = figures_json(comparison.etas);
  const Coverage covered = coverage(comparison.settings);
  json["coverage"] = {{"covered", covered.covered}, {"runs", covered.runs}};
  json["settings"] = ordered_json::array();
  for (const ComparedSetting& setting : comparison.settings)
    json["settings"].push_back(setting_json(setting));
  json["notes"] = comparison.notes;
  if (!comparison.disturbance.empty()) json["notes"].push_back(comparison.disturbance);
  return file_text(json, 2);
}

std::string comparison_text(const Comparison& comparison) {
  std::string text = wrapped(fmt::format("{}: predicted beside measured{}; messages: {}", comparison.program,
                                         comparison.is_at_run_speed ? ", each run at its own speed" : "",
                                         fmt::join(comparison.networks, "; ")),
                             metrics_width, 2) +
                     "\n";
  if (!comparison.disturbance.empty()) text += wrapped(comparison.disturbance, metrics_width, 2) + "\n";
  for (const ComparedSetting& setting : comparison.settings)
    text += "\n" + wrapped(setting.name, metrics_width, 2) + "\n" + setting_table(setting) +
            choice_line(setting) + auto_lines(setting);
  text += "\n" + figures_table(comparison) + coverage_line(comparison);
  for (const std::string& note : comparison.notes) text += wrapped("note: " + note, metrics_width, 6) + "\n";
  return text;
}

/// Prints the tables (to stderr where stdout is for the JSON), writes what was asked for. Throws UsageError
/// on bad input.
ExitCode compare_runs(const CompareRequest& request) {
  require_outputs(request.outputs, request.runs);
  const Comparison comparison = comparison_of(request);
  answer(request.outputs, "the comparison", comparison_text(comparison), comparison_json(comparison),
         "comparison-plot");
  return ExitCode::good;
}

class Compare final : public Command {
 public:
  void describe(CLI::App& app) override {
    app.add_option("RUN", request_.runs, "sweeps' folders, or files of records")
        ->required()
        ->type_name("DIR|FILE");
    CLI::Option* from =
        app.add_option("--from", request_.from,
                       "records that the model is fitted to (each technique from the others of its setting)")
            ->type_name("FILE");
    app.add_option("--own", request_.own, "the experiment of the sweeps whose runs the model is fitted to")
        ->type_name("NAME")
        ->excludes(from);
    app.add_option("--hosts", request_.hosts,
                   "a lab's file, what loadshare survey wrote, or speeds (the runs')")
        ->type_name("HOSTS");
    app.add_flag("--at-run-speed", request_.is_at_run_speed,
                 "predict each run at the speed that its machine had just then, by its chunks' processor\n"
                 "time: the errors that are left are the model's");
    describe_messages(app, request_.costs, request_.has_costs);
    app.add_option("--plot", request_.outputs.plot, "draw predicted beside measured times")
        ->type_name("FILE.svg|.png");
    app.add_option("--json", request_.outputs.json,
                   "write it as JSON; with - to stdout, and nothing else there")
        ->type_name("FILE|-");
    app.add_flag("--strict", request_.is_strict, "a default where something is not known is an error");
  }

  ExitCode run() override { return compare_runs(request_); }

 private:
  CompareRequest request_;
};

}  // namespace

std::unique_ptr<Command> make_compare_command() {
  return std::make_unique<Compare>();
}

}  // namespace loadshare::tool
