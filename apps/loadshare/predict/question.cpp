#include "apps/loadshare/predict/question.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "apps/loadshare/metrics/sources.hpp"
#include "apps/loadshare/predict/hosts.hpp"
#include "apps/loadshare/record_stream.hpp"
#include "base/error.hpp"
#include "base/io/json.hpp"
#include "base/names.hpp"
#include "base/quantities.hpp"
#include "base/statistics.hpp"
#include "models/messages/message_costs.hpp"

namespace loadshare::tool {
namespace {

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

bool is_of_any(const KnownCosts& costs, const std::vector<HostModel>& hosts) {
  return std::ranges::any_of(hosts, [&](const HostModel& host) {
    return std::ranges::find(costs.hosts, host.name) != costs.hosts.end();
  });
}

std::string unknown_hosts(const KnownCosts& costs, const std::vector<HostModel>& hosts) {
  std::set<std::string> names;
  for (const HostModel& host : hosts) names.insert(host.name);
  for (const std::string& known : costs.hosts) names.erase(known);
  if (costs.hosts.empty() || names.empty()) return "";
  return fmt::format("the calibration is of {}: messages of {} may cost something else",
                     fmt::join(costs.hosts, ", "), fmt::join(names, ", "));
}

void by_links(Question& question) {
  question.network_text =
      fmt::format("by the links' rates, and a latency of {:.0f} us", usual_latency_s * 1e6);
  question.network = [](const HostModel& master, const HostModel& worker) {
    const double port = payload_share * master.link_bytes_per_s;
    const double rate = std::min(port, payload_share * worker.link_bytes_per_s);
    return std::make_shared<communication::LinearCosts>(communication::LinearCosts::Parameters{
        .latency_s = usual_latency_s, .bandwidth_bytes_per_s = rate, .port_bytes_per_s = port});
  };
}

void as_known(const QuestionRequest& request, Question& question) {
  KnownCosts costs = message_costs(request.costs);
  if (std::string note = unknown_hosts(costs, question.setting.hosts); !note.empty()) {
    // Of two hosts it may stand for others beside them, on the same network.
    if (request.is_strict && !request.costs.calibration.empty() && !is_of_any(costs, question.setting.hosts))
      throw UsageError(request.costs.calibration + " does not fit the hosts", note, how_to_calibrate);
    question.notes.push_back(std::move(note));
  }
  question.network_text = costs.description;
  std::shared_ptr<const communication::MessageCosts> shared = std::move(costs.costs);
  question.network = [shared](const HostModel&, const HostModel&) { return shared; };
}

constexpr const char* what_to_give = "give what a farm application wrote with --json, or a sweep's folder";

void require_farm_record(const Fields& record) {
  if (!record.has("schema") || !record.has("makespan_s") || !record.has("ranks") || !record.has("chunks"))
    record.refuse("this is no run record", "it lacks schema, makespan_s, ranks or chunks", what_to_give);
  if (const nlohmann::json& schema = record.any("schema"); schema != RunRecord::schema)
    record.refuse(fmt::format("a record of schema {}", schema.dump()),
                  fmt::format("this program reads {}", RunRecord::schema), "use the loadshare that wrote it");
  if (record.is_null("scheduler"))
    record.refuse("the run had no master", "nobody handed its work out in chunks", what_to_give);
}

OptionValue option_value(const nlohmann::json& value) {
  if (value.is_boolean()) return value.get<bool>();
  if (value.is_number_integer()) return value.get<Index>();
  if (value.is_number()) return value.get<double>();
  return value.is_string() ? value.get<std::string>() : value.dump();
}

Role role_of(const Fields& rank) {
  const std::string name = rank.text("role");
  for (const Role role : {Role::worker, Role::master, Role::working_master})
    if (role_name(role) == name) return role;
  rank.refuse(fmt::format("a rank's role is '{}'", name), "a farm has workers and a master");
}

RankRecord read_rank(const Fields& fields) {
  RankRecord rank;
  rank.rank = static_cast<int>(fields.whole("rank", 0));
  rank.role = role_of(fields);
  if (!fields.is_null("worker"))
    rank.worker = WorkerId{static_cast<std::uint32_t>(fields.whole("worker", 0))};
  rank.host = fields.text("host");
  rank.capacity = fields.has("capacity") ? fields.number("capacity", 0, 1) : 1;
  if (fields.has("limit") && !fields.is_null("limit")) {
    const Fields limit(fields.object("limit"), fields.place(), "a rank's limit");
    rank.limit_period_s = limit.seconds("period_s");
    rank.tick_s = limit.seconds("tick_s");
  }
  rank.chunks = fields.whole("chunks", 0);
  rank.iterations = fields.whole("iterations", 0);
  rank.computing_s = fields.seconds("computing_s");
  rank.stolen_s = fields.seconds("stolen_s");
  rank.communicating_s = fields.seconds("communicating_s");
  rank.idle_s = fields.is_null("idle_s") ? 0 : fields.seconds("idle_s");
  rank.coordinating_cpu_s = fields.seconds("coordinating_cpu_s");
  return rank;
}

ChunkRecord read_chunk(const nlohmann::json& line, const Fields& record) {
  const auto seconds = [&](const char* key) { return line.at(key).get<double>(); };
  try {
    return {{line.at("first").get<Index>(), line.at("size").get<Index>()},
            WorkerId{line.at("worker").get<std::uint32_t>()},
            seconds("assigned_s"),
            seconds("received_s"),
            seconds("begun_s"),
            seconds("ended_s"),
            seconds("returned_s"),
            seconds("cpu_s"),
            line.at("duplicate").get<bool>()};
  } catch (const nlohmann::json::exception& error) {
    record.refuse("a chunk is damaged", error.what());
  }
}

std::optional<LoopRecord> read_loop(const Fields& record) {
  if (!record.has("loop") || record.is_null("loop")) return std::nullopt;
  const Fields fields(record.object("loop"), record.place(), "its loop");
  LoopRecord loop{fields.amount("input_bytes"),
                  fields.amount("result_bytes"),
                  fields.amount("shared_bytes"),
                  fields.amount("shared_piece_bytes"),
                  {}};
  if (fields.is_null("work")) return loop;
  for (const nlohmann::json& part : fields.list("work")) {
    if (!part.is_number() || part.get<double>() < 0)
      fields.refuse("'work' of its loop has " + part.dump(), "a part's work is a number of at least 0");
    loop.work.push_back(part.get<double>());
  }
  return loop;
}

std::optional<ChoiceRecord> read_choice(const Fields& record) {
  if (!record.has("choice") || record.is_null("choice")) return std::nullopt;
  const Fields fields(record.object("choice"), record.place(), "its choice");
  ChoiceRecord choice;
  if (!fields.is_null("scheduler")) choice.scheduler = fields.text("scheduler");
  choice.predicted_s = fields.seconds("predicted_s");
  return choice;
}

std::vector<EtaRecord> read_etas(const Fields& record) {
  std::vector<EtaRecord> etas;
  if (!record.has("etas")) return etas;
  for (const nlohmann::json& line : record.list("etas")) {
    const Fields eta(line, record.place(), "an eta");
    etas.push_back({eta.seconds("at_s"), eta.seconds("makespan_s")});
  }
  return etas;
}

std::optional<LoadRecord> read_load(const Fields& record) {
  if (!record.has("load") || record.is_null("load")) return std::nullopt;
  LoadRecord load;
  load.spec = Fields(record.object("load"), record.place(), "its load").text("spec");
  return load;
}

std::vector<std::string> files_of(const std::vector<std::string>& paths) {
  std::vector<std::string> files;
  for (const std::string& path : paths) files.push_back(files_behind(path).front());
  return files;
}

/// Where the file has the run of the line; its sweep is the folder that it lies in.
FarmRuns::Place place_of(const RecordLine& line, const std::string& file) {
  if (!line.experiment) return {};
  const std::string folder = std::filesystem::path(file).parent_path().string();
  return {folder.empty() ? "." : folder, *line.experiment, line.point};
}

using predictor::FarmModel;
using predictor::FarmSetting;

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
  model.loop.seconds_per_work = duration_s("--cost", request.cost);
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
  const double reference = median_of(known.empty() ? all : known);
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
predictor::CpuQuota grant_of(const RankRecord& rank) {
  predictor::CpuQuota grant{.share = rank.capacity};
  if (rank.limit_period_s > 0) grant.period_s = rank.limit_period_s;
  if (rank.tick_s > 0) grant.tick_s = rank.tick_s;
  return grant;
}

}  // namespace

void choose_network(const QuestionRequest& request, Question& question) {
  if (!request.costs.calibration.empty() || request.has_costs) return as_known(request, question);
  if (!has_messages(question.setting)) {
    question.network_text = "none: all ranks are on one host";
    return;
  }
  if (request.is_strict)
    throw UsageError("no calibration for these hosts", "--strict allows no default for what messages cost",
                     how_to_calibrate + std::string(", and give --calibration pair.json"));
  if (knows_links(question.setting.hosts)) {
    by_links(question);
  } else {
    as_known(request, question);
    question.network_text += " (a default)";
  }
  question.notes.push_back(fmt::format(
      "what messages cost was not measured: {}, and give --calibration pair.json", how_to_calibrate));
}

RunRecord read_farm_record(const nlohmann::json& line, const std::string& place) {
  const Fields record(line, place);
  require_farm_record(record);
  RunRecord run;
  run.app = record.text("app");
  run.scheduler = record.text("scheduler");
  run.workers = record.whole("workers", 1);
  run.iterations = record.whole("iterations", 0);
  run.iteration_name = record.text("iteration_name");
  run.makespan_s = record.seconds("makespan_s");
  run.shared_input_s = record.seconds("shared_input_s");
  if (record.has("seed") && !record.is_null("seed")) run.seed = record.whole("seed", 0);
  if (record.any("verified").is_boolean()) run.verified = record.any("verified").get<bool>();
  for (const auto& [name, value] : record.object("options").items()) run.options[name] = option_value(value);
  run.load = read_load(record);
  run.loop = read_loop(record);
  run.choice = read_choice(record);
  run.etas = read_etas(record);
  for (const nlohmann::json& rank : record.list("ranks"))
    run.ranks.push_back(read_rank(Fields(rank, place, "a rank")));
  for (const nlohmann::json& chunk : record.list("chunks")) run.chunks.push_back(read_chunk(chunk, record));
  return run;
}

FarmRuns read_farm_runs(const std::vector<std::string>& paths) {
  FarmRuns all;
  for (const std::string& path : files_of(paths)) {
    const std::size_t before = all.runs.size();
    const auto notes = read_records(path, WithChunks::yes, [&](const RecordLine& line) {
      RunRecord run = read_farm_record(line.record, line.place);
      if (run.verified == false)
        return all.notes.push_back(line.place + ": left out, for the run's result was found wrong");
      all.runs.push_back(std::move(run));
      all.places.push_back(place_of(line, path));
    });
    all.notes.insert(all.notes.end(), notes.begin(), notes.end());
    if (all.runs.size() == before)
      throw UsageError(path + " holds no runs", all.notes.empty() ? "it is empty" : all.notes.back(),
                       what_to_give);
  }
  return all;
}

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
