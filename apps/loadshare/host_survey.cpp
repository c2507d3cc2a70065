#include "apps/loadshare/host_survey.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "apps/loadshare/calibration_run.hpp"
#include "apps/loadshare/output.hpp"
#include "apps/loadshare/speed_kernel.hpp"
#include "base/error.hpp"
#include "base/io/files.hpp"
#include "base/io/json.hpp"
#include "base/io/text.hpp"
#include "base/statistics.hpp"
#include "models/efficiency/runs.hpp"
#include "program/interruption.hpp"
#include "runtime/farm/program.hpp"
#include "runtime/farm/rank_report.hpp"
#include "runtime/host/cgroup_quota.hpp"
#include "runtime/host/clock.hpp"
#include "runtime/transport/mpi/mpi_transport.hpp"

namespace loadshare::tool {
namespace {

using nlohmann::ordered_json;

constexpr double least_stop_s = 0.5e-3;  // longer than an interrupt, shorter than what a limit stops for
constexpr double least_part = 0.5;       // of the time: stops that lie together are no limit's
constexpr double least_share = 1e-6;     // who ran at all had something

/// Of each stop, the first stamp after it.
std::vector<std::size_t> ends_of_stops(std::span<const BusyStamp> stamps) {
  std::vector<std::size_t> ends;
  for (std::size_t i = 1; i < stamps.size(); ++i) {
    const double away_s = (stamps[i].time_s - stamps[i - 1].time_s) - (stamps[i].cpu_s - stamps[i - 1].cpu_s);
    if (away_s >= least_stop_s) ends.push_back(i);
  }
  return ends;
}

double share_between(const BusyStamp& first, const BusyStamp& last) {
  return (last.cpu_s - first.cpu_s) / (last.time_s - first.time_s);
}

double time_between(const BusyStamp& first, const BusyStamp& last) {
  return last.time_s - first.time_s;
}

double share_of_turns(std::span<const BusyStamp> stamps) {
  const double all = share_between(stamps.front(), stamps.back());
  const std::vector<std::size_t> ends = ends_of_stops(stamps);
  if (ends.empty()) return all;
  const BusyStamp& first = stamps[ends.front()];
  const BusyStamp& last = stamps[ends.back()];
  const bool is_enough =
      time_between(first, last) >= least_part * time_between(stamps.front(), stamps.back());
  return is_enough ? share_between(first, last) : all;
}

void sleep_until(double time_s, const std::atomic<bool>& is_interrupted) {
  constexpr double longest_nap_s = 0.05;
  for (double left_s = time_s - monotonic_s(); left_s > 0 && !is_interrupted; left_s = time_s - monotonic_s())
    std::this_thread::sleep_for(std::chrono::duration<double>(std::min(left_s, longest_nap_s)));
}

BusyStamp stamp() {
  return {monotonic_s(), thread_cpu_s()};
}

std::vector<BusyStamp> compute(SpeedKernel& kernel, double seconds, const std::atomic<bool>& is_interrupted) {
  kernel.compute();  // pages and code are there
  std::vector<BusyStamp> stamps{stamp()};
  const double end_s = stamps.front().time_s + seconds;
  do {
    kernel.compute();
    stamps.push_back(stamp());
  } while (stamps.back().time_s < end_s && !is_interrupted);
  return stamps;
}

std::optional<predictor::CpuQuota> grant_here(int local_ranks) {
  const std::optional<CpuLimit> limit = cgroup_cpu_limit();
  if (!limit) return std::nullopt;
  return grant_of_one({limit->processors, limit->period_s, quota_look_s()}, local_ranks);
}

constexpr const char* kind = "loadshare survey";
constexpr double most_gflops = 1e9;
constexpr double longest_period_s = 10;
constexpr int most_cpus = 1'000'000;

std::string line_of(const ordered_json& value) {
  return value.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

ordered_json grant_json(const std::optional<predictor::CpuQuota>& grant) {
  if (!grant) return nullptr;
  return {{"share", grant->share}, {"period_s", grant->period_s}, {"tick_s", grant->tick_s}};
}

MeasuredSpeed read_speed(const Fields& fields) {
  const auto number = [&fields](const char* key) { return fields.number(key, 0, most_gflops); };
  const MeasuredSpeed speed{number("median"), number("low"), number("high"), fields.integer("pieces", 1)};
  if (speed.low_gflops > speed.median_gflops || speed.median_gflops > speed.high_gflops)
    fields.refuse("the median speed is not between the low and the high one", "it is by their meaning");
  return speed;
}

/// 1 and more is no limit, and is not written.
std::optional<predictor::CpuQuota> read_grant(const Fields& rank) {
  if (rank.is_null("grant")) return std::nullopt;
  const Fields grant(rank.object("grant"), rank.place(), "the grant");
  return predictor::CpuQuota{grant.number("share", 0, 1), grant.number("period_s", 0, longest_period_s),
                             grant.number("tick_s", 0, 1)};
}

std::vector<int> read_cpus(const Fields& rank) {
  std::vector<int> cpus;
  for (const nlohmann::json& cpu : rank.list("cpus")) {
    if (!cpu.is_number_unsigned() || cpu > most_cpus)
      rank.refuse(fmt::format("a processor in 'cpus' is {}", cpu.dump()), "they count from 0");
    cpus.push_back(cpu.get<int>());
  }
  return cpus;
}

void require_schema(const Fields& file) {
  if (!file.has("kind") || !file.any("kind").is_string() || file.text("kind") != kind)
    file.refuse("this is not a survey", fmt::format("its 'kind' is not \"{}\"", kind),
                "give a file that loadshare survey wrote");
  if (const Index schema = file.integer("schema", 0); schema != HostSurvey::schema)
    file.refuse(fmt::format("a survey of schema {}", schema),
                fmt::format("this program reads {}", HostSurvey::schema), "use the loadshare that wrote it");
}

std::string place_of(const LocatedJson& whole, const std::string& path, std::size_t number) {
  const auto lines = whole.lines.find("ranks");
  const bool is_known = lines != whole.lines.end() && number < lines->second.size();
  return is_known ? fmt::format("{}:{}", path, lines->second[number]) : path;
}

std::vector<SurveyedRank> read_ranks(const Fields& file, const LocatedJson& whole) {
  std::vector<SurveyedRank> ranks;
  for (const nlohmann::json& element : file.list("ranks")) {
    const auto number = ranks.size();
    const Fields fields(element, place_of(whole, file.place(), number), fmt::format("rank {}", number));
    if (const Index rank = fields.integer("rank", 0); rank != static_cast<Index>(number))
      fields.refuse(fmt::format("found rank {} in place of rank {}", rank, number), "ranks must be in order");
    ranks.push_back(read_surveyed_rank(fields));
  }
  if (ranks.empty()) file.refuse("there are no ranks", "every survey has one");
  return ranks;
}

constexpr Index least_pieces = 30;
constexpr double most_turn_error = 0.15;

std::vector<std::string> remarks_on_processors(const std::vector<SurveyedRank>& ranks) {
  std::vector<granularity::RankProcessors> processors;
  for (const SurveyedRank& rank : ranks) processors.push_back({rank.host, rank.cpus});
  return remarks_on_shared_processors(processors, "what one rank uses is not available to the others");
}

void add_remarks_on_limits(const std::vector<SurveyedRank>& ranks, std::vector<std::string>& remarks) {
  std::map<std::string, Index> limited;
  for (const SurveyedRank& rank : ranks)
    if (rank.grant) ++limited[rank.host];
  for (const auto& [host, number] : limited)
    if (number > 1)
      remarks.push_back(fmt::format(
          "{} ranks of host {} share the limit of one control group: each is assumed to get an equal part",
          number, host));
}

void add_remark_on_pieces(const std::vector<SurveyedRank>& ranks, std::vector<std::string>& remarks) {
  const auto few =
      std::ranges::count_if(ranks, [](const SurveyedRank& rank) { return rank.speed.pieces < least_pieces; });
  if (few > 0)
    remarks.push_back(fmt::format("{} of {} computed fewer than {} pieces of work: give more --seconds", few,
                                  count_text(std::ssize(ranks), "rank", "ranks"), least_pieces));
}

void add_remark_on_turns(const HostSurvey& survey, std::vector<std::string>& remarks) {
  double most = 0;
  for (const SurveyedRank& rank : survey.ranks)
    if (rank.grant) most = std::max(most, turn_error(*rank.grant, survey.seconds));
  if (most > most_turn_error)
    remarks.push_back(
        fmt::format("limits let ranks run in few long turns, so the available shares may be off by up to "
                    "{:.0f} %: give more --seconds",
                    100 * most));
}

std::string grant_cell(const std::optional<predictor::CpuQuota>& grant) {
  if (!grant) return "-";
  return fmt::format("{:.3g} of each {}", grant->share, duration_text(grant->period_s));
}

std::vector<std::string> row_of(const SurveyedRank& rank) {
  const MeasuredSpeed& speed = rank.speed;
  return {fmt::format("{:>4}", rank.rank),
          rank.host,
          fmt::format("{:.3g}", speed.median_gflops),
          fmt::format("{:.3g} to {:.3g}", speed.low_gflops, speed.high_gflops),
          grant_cell(rank.grant),
          fmt::format("{:.1f}", 100 * rank.busy),
          fmt::format("{:.1f}", 100 * rank.available)};
}

std::string heading_of(const HostSurvey& survey) {
  std::set<std::string> hosts;
  for (const SurveyedRank& rank : survey.ranks) hosts.insert(rank.host);
  return fmt::format("survey: {} on {}, busy for {}{}\n",
                     count_text(static_cast<Index>(survey.ranks.size()), "rank", "ranks"),
                     count_text(static_cast<Index>(hosts.size()), "host", "hosts"),
                     duration_text(survey.seconds), survey.ranks.size() > 1 ? " at the same time" : "");
}

}  // namespace

MeasuredSpeed speed_of(std::span<const BusyStamp> stamps, double operations_each) {
  std::vector<double> all;
  for (std::size_t i = 1; i < stamps.size(); ++i)
    if (const double cpu_s = stamps[i].cpu_s - stamps[i - 1].cpu_s; cpu_s > 0)
      all.push_back(operations_each / cpu_s / 1e9);
  if (all.empty()) return {};
  return {median_of(all), quantile_of(all, 0.05), quantile_of(all, 0.95), static_cast<Index>(all.size())};
}

double busy_share(std::span<const BusyStamp> stamps, const std::optional<predictor::CpuQuota>& grant) {
  const double share = grant ? share_of_turns(stamps) : share_between(stamps.front(), stamps.back());
  return std::clamp(share, least_share, 1.0);
}

double turn_error(const predictor::CpuQuota& grant, double seconds) {
  const double turn_s = std::max(grant.tick_s, grant.share * grant.period_s);
  return turn_s / (grant.share * seconds);
}

double available_of(double busy, const std::optional<predictor::CpuQuota>& grant) {
  return std::min(1.0, grant ? busy / grant->share : busy);
}

std::optional<predictor::CpuQuota> grant_of_one(const predictor::CpuQuota& of_all, int ranks) {
  predictor::CpuQuota own = of_all;
  own.share /= std::max(1, ranks);
  return own.share < 1 ? std::optional(own) : std::nullopt;
}

SurveyedRank describe_rank(int rank, int local_ranks) {
  const RankReport here = describe_process(rank);
  SurveyedRank described;
  described.rank = rank;
  described.host = here.host;
  described.cpus = here.cpus;
  described.system = kernel_release();
  described.grant = grant_here(local_ranks);
  return described;
}

void measure(const SurveyWindow& window, const std::atomic<bool>& is_interrupted, SurveyedRank& rank) {
  SpeedKernel kernel;
  sleep_until(window.begin_s, is_interrupted);
  const std::vector<BusyStamp> stamps = compute(kernel, window.seconds, is_interrupted);
  if (!kernel.is_right())
    throw Error(ExitCode::run_failed, "the processor of " + rank.host + " computes wrongly",
                "the same multiplications and additions gave a different sum");
  rank.speed = speed_of(stamps, SpeedKernel::operations());
  rank.busy = busy_share(stamps, rank.grant);
  rank.available = available_of(rank.busy, rank.grant);
}

ordered_json rank_json(const SurveyedRank& rank) {
  const MeasuredSpeed& speed = rank.speed;
  return {{"rank", rank.rank},
          {"host", rank.host},
          {"cpus", rank.cpus},
          {"system", rank.system},
          {"gflops",
           {{"median", speed.median_gflops},
            {"low", speed.low_gflops},
            {"high", speed.high_gflops},
            {"pieces", speed.pieces}}},
          {"grant", grant_json(rank.grant)},
          {"busy", rank.busy},
          {"available", rank.available}};
}

SurveyedRank read_surveyed_rank(const Fields& fields) {
  SurveyedRank rank;
  rank.rank = static_cast<int>(fields.integer("rank", 0));
  rank.host = fields.text("host");
  rank.cpus = read_cpus(fields);
  rank.system = fields.text("system");
  rank.speed = read_speed(Fields(fields.object("gflops"), fields.place(), "'gflops'"));
  rank.grant = read_grant(fields);
  rank.busy = fields.number("busy", 0, 1);
  rank.available = fields.number("available", 0, 1);
  return rank;
}

std::string to_json(const HostSurvey& survey) {
  std::string text = fmt::format("{{\n\"kind\": \"{}\",\n\"schema\": {}", kind, HostSurvey::schema);
  const auto add = [&text](const char* key, const ordered_json& value) {
    text += fmt::format(",\n\"{}\": {}", key, line_of(value));
  };
  add("begun", survey.begun);
  add("seconds", survey.seconds);
  add("versions", survey.versions);
  text += ",\n\"ranks\": [";
  const char* separator = "\n";
  for (const SurveyedRank& rank : survey.ranks) {
    text += separator + line_of(rank_json(rank));
    separator = ",\n";
  }
  text += "]";
  add("notes", survey.notes);
  return text + "\n}\n";
}

HostSurvey parse_survey(const std::string& text, const std::string& path) {
  const LocatedJson whole = parse_json_file(text, path, {"survey", "loadshare survey"});
  const Fields file(whole.json, path, "the survey");
  require_schema(file);
  HostSurvey survey;
  survey.begun = file.text("begun");
  survey.seconds = file.seconds("seconds");
  const Fields versions(file.object("versions"), path, "'versions'");
  for (const auto& [name, value] : file.object("versions").items())
    survey.versions[name] = versions.text(name.c_str());
  survey.ranks = read_ranks(file, whole);
  for (const nlohmann::json& note : file.list("notes")) {
    if (!note.is_string()) file.refuse(fmt::format("a note is {}", note.dump()), "it must be a text");
    survey.notes.push_back(note.get<std::string>());
  }
  return survey;
}

std::vector<std::string> remarks_on(const HostSurvey& survey) {
  std::vector<std::string> remarks = remarks_on_processors(survey.ranks);
  add_remarks_on_limits(survey.ranks, remarks);
  add_remark_on_pieces(survey.ranks, remarks);
  add_remark_on_turns(survey, remarks);
  return remarks;
}

std::string survey_text(const HostSurvey& survey) {
  std::vector<std::vector<std::string>> rows{
      {"rank", "host", "GFLOP/s", "5 to 95 %", "grant", "busy%", "available%"}};
  for (const SurveyedRank& rank : survey.ranks) rows.push_back(row_of(rank));
  const std::string text = heading_of(survey) + "\n" + table_text(rows, 2);
  return survey.notes.empty() ? text : text + "\n" + notes_text(survey.notes);
}

}  // namespace loadshare::tool
