#include "apps/loadshare/predict/question.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include "apps/common/whole_number.hpp"
#include "apps/loadshare/predict/hosts.hpp"
#include "apps/loadshare/predict/network.hpp"
#include "apps/loadshare/predict/run_record_reader.hpp"
#include "models/granularity/spread.hpp"
#include "runtime/timing/duration.hpp"
#include "schedulers/error.hpp"
#include "schedulers/nearest.hpp"

namespace loadshare::tool {
namespace {

using predictor::FarmModel;
using predictor::FarmSetting;
using predictor::HostModel;

constexpr Index most_iterations = 1'000'000'000'000;
constexpr Index most_prefetch = 1024;

template <class T>
T option_of(const RunRecord& run, const std::string& name, T otherwise) {
  const auto found = run.options.find(name);
  if (found == run.options.end()) return otherwise;
  const T* value = std::get_if<T>(&found->second);
  return value ? *value : otherwise;
}

FarmModel model_by_hand(const QuestionRequest& request) {
  if (request.iterations.empty() || request.cost.empty())
    throw UsageError("no loop to predict", "neither runs of it nor --iterations and --cost are given",
                     "run it once, as `mpirun matmul --json run.jsonl`, and give run.jsonl");
  FarmModel model;
  model.iterations = whole_number("--iterations", request.iterations, 1, most_iterations);
  model.loop.seconds_per_work = parse_duration_s("--cost", request.cost);
  model.loop.factors.push_back({1, {}, 1});
  const auto bytes = [](const char* option, const std::string& text) {
    return static_cast<double>(whole_number(option, text, 0, most_iterations));
  };
  const auto iterations = static_cast<double>(model.iterations);
  model.data.input_bytes = iterations * bytes("--input-bytes", request.input_bytes);
  model.data.result_bytes = iterations * bytes("--result-bytes", request.result_bytes);
  model.data.shared_bytes = bytes("--shared-bytes", request.shared_bytes);
  model.data.shared_piece_bytes = std::min(model.data.shared_bytes, 2097152.0);
  return model;
}

/// As large a loop as was asked for; its data grow with it, what all hosts need does not.
void resize(FarmModel& model, Index iterations) {
  if (iterations == model.iterations) return;
  if (!model.work.empty())
    throw UsageError(
        fmt::format("--iterations is {}", iterations),
        fmt::format("the iterations of this loop are unequal, and {} were run", model.iterations),
        "run it at that size once");
  const double times = static_cast<double>(iterations) / static_cast<double>(model.iterations);
  model.iterations = iterations;
  model.data.input_bytes *= times;
  model.data.result_bytes *= times;
}

void note_widths(const FarmModel& model, Question& question) {
  question.notes.push_back(fmt::format("the cost of {} comes from chunks of {} to {} of them",
                                       question.iteration_name, model.loop.narrowest, model.loop.widest));
}

/// Where nothing tells how runs scatter, an interval is only of what the model draws.
void note_interval(Question& question) {
  if (question.runs > 1) return;
  question.notes.push_back(fmt::format(
      "{} tells how runs scatter: the times between which 9 of 10 lie are of phases of loads and limits"
      "{} only; records of several runs widen them",
      question.runs == 0 ? "no run" : "one run hardly", question.runs == 0 ? "" : ", and of single chunks,"));
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
    question.notes.emplace_back(
        "none of the hosts made the runs: the median of their speeds is taken for that of the runs' hosts");
  const double reference = granularity::median_of(known.empty() ? all : known);
  for (HostModel& host : hosts) {
    if (!host.is_speed_absolute) continue;
    host.speed = is_known(host) ? 1 : host.speed / reference;
    host.is_speed_absolute = false;
  }
}

void apply_options(const QuestionRequest& request, FarmSetting& setting) {
  static const std::array<std::string, 2> masters{"works", "coordinates"};
  if (!request.master.empty()) {
    if (std::ranges::find(masters, request.master) == masters.end())
      throw unknown_name("--master", request.master, masters);
    setting.master_works = request.master == masters[0];
  }
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

/// Records of older programs do not tell how often it is granted.
predictor::Grant grant_of(const RankRecord& rank) {
  predictor::Grant grant{.share = rank.capacity};
  if (rank.limit_period_s > 0) grant.period_s = rank.limit_period_s;
  if (rank.tick_s > 0) grant.tick_s = rank.tick_s;
  return grant;
}

}  // namespace

FarmSetting setting_of(const RunRecord& run) {
  FarmSetting setting;
  std::vector<const RankRecord*> ranks;
  for (const RankRecord& rank : run.ranks) ranks.push_back(&rank);
  std::ranges::sort(ranks, {}, &RankRecord::rank);
  for (const RankRecord* rank : ranks) {
    if (rank->role != Role::worker) {
      setting.master_rank = setting.hosts.size();
      setting.master_works = rank->role == Role::working_master;
    }
    HostModel host;
    host.name = rank->host;
    if (rank->capacity < 1) host.grant = grant_of(*rank);
    setting.hosts.push_back(std::move(host));
  }
  setting.prefetch = option_of<Index>(run, "prefetch", 0);
  setting.reissue = option_of<bool>(run, "reissue", false) ? Reissue::on : Reissue::off;
  setting.naps = option_of<std::string>(run, "wait_in_force", "nap") == "nap";
  if (run.load) setting.load = parse_load_spec(run.load->spec);
  return setting;
}

bool has_vanished_host(const RunRecord& run) {
  return std::ranges::any_of(run.ranks, [](const RankRecord& rank) { return rank.host == vanished_host; });
}

Question read_question(const QuestionRequest& request) {
  Question question;
  question.program = "loop";
  question.iteration_name = "iterations";
  if (request.runs.empty()) {
    question.model = model_by_hand(request);
  } else {
    FarmRuns all = read_farm_runs(request.runs);
    question.notes = std::move(all.notes);
    question.runs = all.runs.size();
    question.program = all.runs.front().app;
    question.iteration_name = all.runs.front().iteration_name;
    question.model = predictor::fit_farm(all.runs);
    if (request.hosts.empty() && has_vanished_host(all.runs.back()))
      throw UsageError("a host of the last run had vanished before it ended", "it is not known what host",
                       "say which hosts there are, --hosts 6x0.1,3x0.3 or a file, or make the run again");
    question.setting = setting_of(all.runs.back());
    if (!request.iterations.empty())
      resize(question.model, whole_number("--iterations", request.iterations, 1, most_iterations));
    note_widths(question.model, question);
  }
  if (!request.hosts.empty()) question.setting.hosts = read_hosts(request.hosts);
  if (question.setting.hosts.empty())
    throw UsageError("no hosts", "the loop is given by hand, and no --hosts",
                     "give a lab's file, what loadshare survey wrote, or --hosts 6x0.1,3x0.3");
  compare_speeds(question);
  apply_options(request, question.setting);
  if (question.setting.load)
    require_ranks(*question.setting.load, static_cast<int>(question.setting.hosts.size()));
  if (has_chance(question.model, question.setting)) note_interval(question);
  choose_network(request, question);
  return question;
}

}  // namespace loadshare::tool
