#include "apps/loadshare/question.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "apps/loadshare/hosts.hpp"
#include "base/error.hpp"
#include "base/names.hpp"
#include "base/quantities.hpp"
#include "base/statistics.hpp"
#include "models/farm/backtest.hpp"
#include "models/messages/message_costs.hpp"
#include "runtime/host/cgroup_quota.hpp"
#include "runtime/transport/transport.hpp"

namespace loadshare::tool {
namespace {

using predictor::FarmModel;
using predictor::FarmSetting;
using predictor::HostModel;

// Of 1,538 bytes that a full Ethernet frame takes on the wire, TCP carries 1,448.
constexpr double payload_share = 1448.0 / 1538;
constexpr double usual_latency_s = 100e-6;
constexpr const char* how_to_calibrate =
    "run `mpirun -q -np 2 loadshare calibrate --out pair.json` on two of the hosts";

bool knows_links(const std::vector<HostModel>& hosts) {
  return std::ranges::all_of(hosts, [](const HostModel& host) { return host.link_bytes_per_s > 0; });
}

bool has_messages(const predictor::FarmSetting& setting) {
  const auto& hosts = setting.hosts;
  return std::ranges::any_of(hosts, [&](const HostModel& host) { return host.name != hosts.front().name; });
}

/// The hosts whose messages to the master the calibration does not have, in words; empty: none, or a line.
std::string unmeasured_hosts(const KnownCosts& costs, const predictor::FarmSetting& setting) {
  if (costs.hosts.empty() || setting.master_rank >= setting.hosts.size()) return "";
  const std::string& master = setting.hosts[setting.master_rank].name;
  std::set<std::string> names;
  for (const HostModel& host : setting.hosts)
    if (host.name != master && !costs.is_measured(master, host.name)) names.insert(host.name);
  if (names.empty()) return "";
  return fmt::format("the calibration is of {}: messages between {} and {} may take different times",
                     fmt::join(costs.hosts, ", "), master, fmt::join(names, ", "));
}

std::shared_ptr<const communication::MessageCosts> link_costs(double master_rate, double worker_rate) {
  const double port = payload_share * master_rate;
  const double rate = std::min(port, payload_share * worker_rate);
  return std::make_shared<communication::LinearCosts>(communication::LinearCosts::Parameters{
      .latency_s = usual_latency_s, .bandwidth_bytes_per_s = rate, .port_bytes_per_s = port});
}

void by_links(Question& question) {
  question.network_text =
      fmt::format("at the links' rates, with a latency of {:.0f} us", usual_latency_s * 1e6);
  std::set<double> rates;
  for (const HostModel& host : question.setting.hosts) rates.insert(host.link_bytes_per_s);
  // Hosts of one rate are given the very same costs, by which a scenario knows that they are alike.
  std::map<std::pair<double, double>, std::shared_ptr<const communication::MessageCosts>> costs;
  for (const double master : rates)
    for (const double worker : rates) costs[{master, worker}] = link_costs(master, worker);
  question.network = [costs = std::move(costs)](const HostModel& master, const HostModel& worker) {
    return costs.at({master.link_bytes_per_s, worker.link_bytes_per_s});
  };
}

void as_known(const QuestionRequest& request, Question& question) {
  const auto costs = std::make_shared<const KnownCosts>(message_costs(request.costs));
  if (std::string note = unmeasured_hosts(*costs, question.setting); !note.empty()) {
    if (request.is_strict)
      throw UsageError(
          request.costs.calibration + " does not cover all hosts", note,
          "run `mpirun -q loadshare calibrate --out all.json` with one rank per host, the master's first");
    question.notes.push_back(std::move(note));
  }
  question.costs = costs;
  question.network_text = costs->description;
  question.network = [costs](const HostModel& master, const HostModel& worker) {
    return costs->between(master.name, worker.name);
  };
}

constexpr Index most_iterations = 1'000'000'000'000;
constexpr Index most_prefetch = 1024;

FarmModel model_by_hand(const QuestionRequest& request) {
  if (request.iterations.empty() || request.cost.empty())
    throw UsageError("no loop to predict",
                     "neither records of its runs nor --iterations and --cost are given",
                     "run it once, as `mpirun matmul --json run.jsonl`, and give run.jsonl");
  FarmModel model;
  model.loop.cost =
      predictor::LoopCost::uniform(whole_number("--iterations", request.iterations, 1, most_iterations),
                                   duration_s("--cost", request.cost));
  model.loop.factors.push_back({});
  const auto bytes = [](const char* option, const std::string& text) {
    return static_cast<double>(whole_number(option, text, 0, most_iterations));
  };
  const auto iterations = static_cast<double>(model.iterations());
  model.data.input_bytes = iterations * bytes("--input-bytes", request.input_bytes);
  model.data.result_bytes = iterations * bytes("--result-bytes", request.result_bytes);
  model.data.shared_bytes = bytes("--shared-bytes", request.shared_bytes);
  model.data.shared_piece_bytes = std::min(model.data.shared_bytes, 2097152.0);
  return model;
}

/// As large a loop as was asked for; its data grow with it, what all hosts need does not.
void resize(FarmModel& model, Index iterations) {
  if (iterations == model.iterations()) return;
  if (is_uneven(model))
    throw UsageError(
        fmt::format("--iterations is {}", iterations),
        fmt::format("the iterations of this loop have unequal costs, and {} were run", model.iterations()),
        "run it once at that size");
  const double times = static_cast<double>(iterations) / static_cast<double>(model.iterations());
  model.loop.cost = model.loop.cost.stretched(iterations);
  model.data.input_bytes *= times;
  model.data.result_bytes *= times;
}

void note_widths(const FarmModel& model, Question& question) {
  const bool is_one_width = model.loop.narrowest == model.loop.widest;
  question.notes.push_back(
      fmt::format("the cost of {0} was measured in chunks of {1} {0}", question.iteration_name,
                  is_one_width ? fmt::format("{}", model.loop.widest)
                               : fmt::format("{} to {}", model.loop.narrowest, model.loop.widest)));
  constexpr double told_apart = 1.1;
  const Interval alone = model.loop.profile->alone();
  if (alone.high > told_apart * alone.low)
    question.notes.push_back(fmt::format(
        "these runs do not separate the cost of narrow chunks from the cost of their places in "
        "the loop: an iteration may take {:.2f} to {:.2f} times as long in a chunk of its own as in a wide "
        "chunk, which the intervals include; to find out, record a run with --scheduler send:1",
        alone.low, alone.high));
}

void tell_refutation(const FarmModel& model, Question& question) {
  if (!model.loop.refutation.empty())
    question.guesses.push_back(
        "the runs contradict the model, so this is not a prediction: " + model.loop.refutation +
        "; record another run, on equal processors that no other program uses");
}

/// A chunk tells its sum: of one that is the whole loop every profile could be.
void guess_evenness(const std::vector<RunRecord>& runs, Question& question) {
  const auto has_one_chunk = [](const RunRecord& run) { return run.chunks.size() == 1; };
  if (!question.model.loop.profile || question.model.iterations() == 1 ||
      !std::ranges::all_of(runs, has_one_chunk))
    return;
  question.guesses.push_back(
      fmt::format("assuming that all {} cost about the same, because one chunk was the whole loop; record a "
                  "run with more chunks, as with --scheduler gss",
                  question.iteration_name));
}

/// A loop is what was run, or what is given by hand.
void refuse_loop_by_hand(const QuestionRequest& request) {
  const std::pair<const char*, bool> given[]{{"--cost", !request.cost.empty()},
                                             {"--input-bytes", request.input_bytes != "0"},
                                             {"--result-bytes", request.result_bytes != "0"},
                                             {"--shared-bytes", request.shared_bytes != "0"}};
  for (const auto& [option, is_given] : given)
    if (is_given)
      throw UsageError(fmt::format("{} is given together with records", option), "the records contain it",
                       "leave out one of the two");
}

void require_one_loop(const std::vector<RunRecord>& runs) {
  for (const RunRecord& run : runs)
    if (const auto difference = predictor::loop_difference(run, runs.front()))
      throw UsageError("the runs are of different loops", *difference,
                       "give records of one loop only; their schedulers may differ");
}

/// Runs that others disturbed, and techniques that do not foretell each other.
void note_doubts(const std::vector<RunRecord>& runs, Question& question) {
  constexpr double most_stolen = 0.05, most_deviation = 0.1;
  std::vector<double> stolen;
  for (const RunRecord& run : runs)
    if (!run.load) stolen.push_back(worker_shares(run).stolen);
  if (!stolen.empty() && median_of(stolen) > most_stolen)
    question.notes.push_back(fmt::format(
        "other programs had {} of the workers' time in the runs; the prediction is for hosts without them",
        percent_text(median_of(stolen))));
  if (question.model.error_deviation > most_deviation)
    question.notes.push_back(
        fmt::format("the schedulers of these runs, each predicted from the others, are off by {}; the "
                    "intervals include this error",
                    percent_text(question.model.error_deviation)));
}

/// Where a run was, as far as the question has its hosts.
std::optional<predictor::RunPlace> place_of(const RunRecord& run, const Question& question) {
  if (predictor::has_vanished_host(run)) return std::nullopt;
  FarmSetting setting = predictor::setting_of(run);
  setting.knows_phases = true;
  for (HostModel& host : setting.hosts) {
    const auto known = std::ranges::find(question.setting.hosts, host.name, &HostModel::name);
    if (known == question.setting.hosts.end()) return std::nullopt;
    host.link_bytes_per_s = known->link_bytes_per_s;
    host.link_burst_bytes = known->link_burst_bytes;
  }
  return predictor::RunPlace{std::move(setting), question.network};
}

/// Where nothing tells how runs scatter, an interval is only of what the model draws.
void note_interval(Question& question) {
  if (question.runs > 1) return;
  question.notes.emplace_back(
      question.runs == 0
          ? "without records, the interval covers only the phases of loads and limits; "
            "records of several runs make it complete"
          : "with one run, the interval covers only the phases of loads and limits, the uncertainty "
            "of the fitted costs, and an assumed deviation of 2 % between runs; records of "
            "several runs make it complete");
}

/// Speeds in a unit of their own become ratios: to the hosts that the runs know, whose own speeds those tell
/// better; where they know none, to the median of all.
void compare_speeds(Question& question) {
  std::vector<HostModel>& hosts = question.setting.hosts;
  const auto is_known = [&](const HostModel& host) { return question.model.loop.speeds.contains(host.name); };
  std::vector<double> known, all;
  for (const HostModel& host : hosts)
    if (host.is_speed_absolute) {
      all.push_back(host.speed);
      if (is_known(host)) known.push_back(host.speed);
    }
  if (all.empty()) return;
  if (known.empty())
    question.guesses.emplace_back(
        "assuming that the median of these speeds is that of the recorded hosts, because none of the hosts "
        "made the runs");
  const double reference = median_of(known.empty() ? all : known);
  for (HostModel& host : hosts) {
    if (!host.is_speed_absolute) continue;
    host.speed = is_known(host) ? 1 : host.speed / reference;
    host.is_speed_absolute = false;
  }
}

void apply_options(const QuestionRequest& request, FarmSetting& setting) {
  if (!request.master.empty())
    setting.master_works = choose("--master", request.master, master_modes) == MasterMode::works;
  if (!request.master_rank.empty())
    setting.master_rank = static_cast<std::size_t>(whole_number("--master-rank", request.master_rank, 0));
  if (!request.prefetch.empty())
    setting.prefetch = whole_number("--prefetch", request.prefetch, 0, most_prefetch);
  if (request.reissue) setting.reissue = Reissue::on;
  if (request.load == "none")
    setting.load.reset();
  else if (!request.load.empty())
    setting.load = parse_load_spec(request.load);
}

/// The host that all runs were on, if it was one.
std::optional<std::string> only_host(const std::vector<RunRecord>& runs) {
  std::set<std::string> names;
  for (const RunRecord& run : runs)
    for (const RankRecord& rank : run.ranks) names.insert(rank.host);
  return names.size() == 1 ? std::optional(*names.begin()) : std::nullopt;
}

/// Hosts of which nobody said that they are several, and of a loop that ran on one: those are ranks of it.
void keep_on_one_host(const QuestionRequest& request, const std::optional<std::string>& host,
                      Question& question) {
  std::vector<HostModel>& hosts = question.setting.hosts;
  const bool is_known = !request.costs.calibration.empty() || request.has_costs || request.is_strict;
  if (!host || is_known || hosts.size() < 2 || std::ranges::any_of(hosts, &HostModel::is_named)) return;
  for (HostModel& one : hosts) one.name = *host;
  question.guesses.push_back(
      fmt::format("assuming no network, because all recorded ranks were on {}; give --costs or --calibration "
                  "for real hosts",
                  *host));
}

}  // namespace

bool is_uneven(const predictor::FarmModel& model) {
  constexpr double alike = 0.1;
  return model.loop.cost.variation() > alike;
}

std::string cost_kind_text(double waiting_share) {
  if (waiting_share == 0) return "of processor time";
  return fmt::format("of wall time (for {} of it the loop body sleeps or waits)",
                     percent_text(waiting_share));
}

void choose_network(const QuestionRequest& request, Question& question) {
  if (!request.costs.calibration.empty() || request.has_costs) return as_known(request, question);
  if (!has_messages(question.setting)) {
    question.network_text = "none: all ranks are on one host";
    return;
  }
  if (request.is_strict)
    throw UsageError("no calibration for these hosts", "--strict forbids a default for the cost of messages",
                     how_to_calibrate + std::string(", and give --calibration pair.json"));
  const bool links = knows_links(question.setting.hosts);
  if (links) {
    by_links(question);
  } else {
    as_known(request, question);
  }
  question.guesses.push_back(fmt::format(
      "assuming messages {}, because their cost was not measured; {}, and give --calibration pair.json",
      links ? question.network_text : "as on Ethernet of 100 Mbit/s", how_to_calibrate));
}

Question read_question(const QuestionRequest& request) {
  Question question;
  predictor::FarmRuns all;
  std::optional<std::string> host;
  double journal_each_s = 0;
  question.program = "loop";
  question.iteration_name = "iterations";
  if (request.runs.empty()) {
    question.model = model_by_hand(request);
  } else {
    refuse_loop_by_hand(request);
    all = predictor::read_farm_runs(request.runs);
    require_one_loop(all.runs);
    question.notes = std::move(all.notes);
    question.runs = all.runs.size();
    question.program = all.runs.front().app;
    question.iteration_name = all.runs.front().iteration_name;
    question.recorded_scheduler = all.runs.back().scheduler;
    question.model = predictor::fit_farm(all.runs);
    journal_each_s = predictor::journal_each_s(all.runs);
    host = only_host(all.runs);
    if (request.hosts.empty() && predictor::has_vanished_host(all.runs.back()))
      throw UsageError("a host of the last run was lost before the run ended",
                       "its record does not describe that host",
                       "give the hosts, as --hosts 6x0.1,3x0.3 or a file, or record another run");
    question.setting = predictor::setting_of(all.runs.back());
    if (!request.iterations.empty())
      resize(question.model, whole_number("--iterations", request.iterations, 1, most_iterations));
    tell_refutation(question.model, question);
    guess_evenness(all.runs, question);
    note_widths(question.model, question);
  }
  if (!request.hosts.empty()) question.setting.hosts = read_hosts(request.hosts);
  if (question.setting.hosts.empty())
    throw UsageError("there are no hosts", "a loop without records needs --hosts",
                     "give a lab file, a file of loadshare survey, or --hosts 6x0.1,3x0.3");
  apply_changes(changes_of(request.changes), question.setting.hosts);
  keep_on_one_host(request, host, question);
  compare_speeds(question);
  apply_options(request, question.setting);
  if (question.setting.load)
    require_ranks(*question.setting.load, static_cast<int>(question.setting.hosts.size()));
  apply_journal(request.changes.journal, journal_each_s, question.model);
  choose_network(request, question);
  const auto place = [&question](const RunRecord& run) { return place_of(run, question); };
  question.model.error_deviation =
      predictor::held_out_deviation(all.runs, place, granted_cores()).value_or(0);
  note_doubts(all.runs, question);
  if (has_chance(question.model, question.setting, question.network)) note_interval(question);
  return question;
}

void describe_messages(CLI::App& app, CostsRequest& costs, bool& has_costs) {
  CLI::Option* line = app.add_option("--costs", costs.costs, "cost of a message: latency, bandwidth, ...");
  line->type_name("COSTS")->capture_default_str();
  line->each([&has_costs](const std::string&) { has_costs = true; });
  app.add_option("--calibration", costs.calibration, "measured costs, from loadshare calibrate")
      ->type_name("FILE")
      ->excludes(line);
  app.add_option("--fit", costs.fit, "how the calibration's times are fitted")
      ->type_name("FIT")
      ->capture_default_str();
}

}  // namespace loadshare::tool
