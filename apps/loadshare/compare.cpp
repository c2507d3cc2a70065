#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "apps/loadshare/command.hpp"
#include "apps/loadshare/comparison_text.hpp"
#include "apps/loadshare/hosts.hpp"
#include "apps/loadshare/long_answer.hpp"
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

using predictor::ComparedPoint, predictor::ComparedSetting, predictor::FarmRuns;

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
                       "give one for each rank of the runs");
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
    throw UsageError("all runs are by auto", "auto is compared with other schedulers",
                     "give runs of the same loop with --scheduler gss or another");
  if (all.settings.size() < before)
    all.notes.emplace_back(
        "settings with runs by auto alone are left out: there is no other scheduler to compare it with");
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
    throw UsageError(fmt::format("there is no run to predict {} from", first.points.front().scheduler),
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
  const std::string why = "that scheduler exists only in the program itself";
  std::erase_if(all.settings, [](const ComparedSetting& setting) { return setting.points.empty(); });
  if (all.settings.empty())
    throw UsageError(fmt::format("{} cannot be predicted", fmt::join(own, ", ")), why,
                     "give runs of the same loop with --scheduler gss or another of `loadshare schedulers`");
  all.notes.push_back(fmt::format("{} left out: {}", fmt::join(own, ", "), why));
}

Comparison comparison_of(const CompareRequest& request) {
  std::atomic<Index> predicted = 0;
  const LongAnswer waiting("comparing", [&predicted] {
    return predicted == 0 ? "" : count_text(predicted.load(), "run predicted", "runs predicted");
  });
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
      all.waiting_share = std::max(all.waiting_share, model->loop.waiting_share);
      predict_point(predictor, *model, measured, point);
      predicted += std::ssize(point.runs);
    }
  drop_own_techniques(all);
  return all;
}

/// Prints the tables (to stderr where stdout is for the JSON), writes what was asked for. Throws UsageError
/// on bad input.
ExitCode compare_runs(const CompareRequest& request) {
  std::vector<NamedFile> more = files_of_runs("--from", request.from);
  more.insert(more.end(), {{"--hosts", request.hosts}, {"--calibration", request.costs.calibration}});
  require_outputs(request.outputs, request.runs, more);
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
                       "records that the model is fitted to; may be given several times\n"
                       "(default: each technique is predicted from the others of its setting)")
            ->type_name("FILE")
            ->allow_extra_args(false);
    app.add_option("--own", request_.own, "experiment of the sweeps whose runs the model is fitted to")
        ->type_name("NAME")
        ->excludes(from);
    app.add_option(
           "--hosts", request_.hosts,
           "a lab file, a file of loadshare survey, or processors as COUNTxSPEED: 6x0.1,3x0.3 (the runs')")
        ->type_name("HOSTS");
    app.add_flag("--at-run-speed", request_.is_at_run_speed,
                 "predict each run at the speed that its machine had during the run, measured by "
                 "its chunks' processor times: the remaining errors are those of the model");
    describe_messages(app, request_.costs, request_.has_costs);
    app.add_option("--plot", request_.outputs.plot, "draw predicted and measured times")
        ->type_name("FILE.svg|.png");
    app.add_option("--json", request_.outputs.json, "write it as JSON; - writes only the JSON, to stdout")
        ->type_name("FILE|-");
    app.add_flag("--strict", request_.is_strict, "fail instead of assuming defaults");
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
