#include "apps/loadshare/survey/survey.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "apps/loadshare/metrics/sources.hpp"
#include "apps/loadshare/output.hpp"
#include "apps/loadshare/survey/survey_file.hpp"
#include "apps/loadshare/wording.hpp"
#include "base/io/files.hpp"
#include "base/io/text.hpp"
#include "program/interruption.hpp"
#include "runtime/farm/program.hpp"
#include "runtime/host/clock.hpp"
#include "runtime/transport/mpi/mpi_transport.hpp"

namespace loadshare::tool {
namespace {

constexpr Index least_pieces = 30;
constexpr double most_turn_error = 0.15;

std::vector<std::string> remarks_on_processors(const std::vector<SurveyedRank>& ranks) {
  std::vector<RankProcessors> processors;
  for (const SurveyedRank& rank : ranks) processors.push_back({rank.host, rank.cpus});
  return remarks_on_shared_processors(processors, "what one has is not available to the others");
}

void add_remarks_on_limits(const std::vector<SurveyedRank>& ranks, std::vector<std::string>& remarks) {
  std::map<std::string, Index> limited;
  for (const SurveyedRank& rank : ranks)
    if (rank.grant) ++limited[rank.host];
  for (const auto& [host, number] : limited)
    if (number > 1)
      remarks.push_back(fmt::format(
          "{} ranks of host {} live by one control group's limit: each is granted an equal part of it",
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
        fmt::format("limits let ranks run in few long turns, so what is available may be up to "
                    "{:.0f} % off: give more --seconds",
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

constexpr double forever_s = 1e9;
constexpr double lead_s = 0.2;  // from when all are there until they begin: the word goes from host to host
constexpr double late_share = 0.05;  // of the time measured, that one may begin after the others

void require_outputs(const SurveyRequest& request) {
  const std::string json_file = request.json == "-" ? "" : request.json;
  require_own_files({}, {{"--out", request.out}, {"--json", json_file}});
  if (!request.out.empty()) require_writable(request.out, "the survey");
  if (!json_file.empty()) require_writable(json_file, "the JSON");
}

HostSurvey begun_survey(const SurveyRequest& request) {
  HostSurvey survey;
  survey.begun = utc_text(std::time(nullptr));
  survey.seconds = request.seconds;
  survey.versions["loadshare"] = LOADSHARE_VERSION;
  return survey;
}

void finish(const SurveyRequest& request, HostSurvey& survey) {
  for (std::string& remark : remarks_on(survey)) survey.notes.push_back(std::move(remark));
  const std::string file = to_json(survey);
  if (!request.out.empty()) write_json(request.out, file);
  show(request.json == "-" ? stderr : stdout, "the survey", survey_text(survey));
  if (!request.json.empty()) write_json(request.json, file);
  finish_printing();
}

[[noreturn]] void throw_interrupted() {
  throw Error(ExitCode::interrupted, "interrupted", "before the hosts were measured; nothing was written");
}

void survey_this_host(const SurveyRequest& request) {
  const std::atomic<bool>& is_interrupted = watch_interruptions();
  require_outputs(request);
  HostSurvey survey = begun_survey(request);
  survey.ranks.push_back(describe_rank(0, 1));
  measure({monotonic_s(), request.seconds}, is_interrupted, survey.ranks.front());
  if (is_interrupted) throw_interrupted();
  finish(request, survey);
}

/// One instant for all, once all are there, on this host's clock.
double agreed_begin_s(Transport& transport) {
  transport.to_master("", forever_s);
  const nlohmann::json begin =
      transport.is_master() ? nlohmann::json(monotonic_s() + lead_s) : nlohmann::json();
  return nlohmann::json::parse(transport.from_master(begin.dump())).get<double>() +
         transport.clock_offset_s();
}

/// What a rank tells the master.
std::string report_of(const SurveyedRank& rank, double late_s, bool is_interrupted) {
  const nlohmann::json report{
      {"rank", rank_json(rank)}, {"late_s", late_s}, {"is_interrupted", is_interrupted}};
  return report.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void take_report(const std::string& text, HostSurvey& survey) {
  const nlohmann::json report = nlohmann::json::parse(text);
  if (report.at("is_interrupted").get<bool>()) throw_interrupted();
  survey.ranks.push_back(read_surveyed_rank(Fields(report.at("rank"), "a rank's report")));
  const double late_s = report.at("late_s").get<double>();
  if (late_s > late_share * survey.seconds)
    survey.notes.push_back(
        fmt::format("rank {} began {} after the others", survey.ranks.back().rank, duration_text(late_s)));
}

void survey_ranks(const SurveyRequest& request) {
  const std::unique_ptr<Transport> transport = make_mpi_transport({});
  const std::atomic<bool>& is_interrupted = watch_interruptions();
  do_on_master(*transport, [&] { require_outputs(request); });
  HostSurvey survey = begun_survey(request);
  survey.versions.merge(transport->versions());
  SurveyedRank own = describe_rank(transport->rank(), transport->local_ranks());
  const double begin_s = agreed_begin_s(*transport);
  const double late_s = monotonic_s() - begin_s;
  measure({begin_s, request.seconds}, is_interrupted, own);
  const auto reports = transport->to_master(report_of(own, late_s, is_interrupted), forever_s);
  do_on_master(*transport, [&] {
    for (const std::string& report : reports) take_report(report, survey);
    finish(request, survey);
  });
}

}  // namespace

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

void survey_hosts(const SurveyRequest& request) {
  const Launch launch = detect_launch();
  if (launch.is_stray_task)
    throw UsageError("srun started several tasks that MPI knows nothing of",
                     "each of them would survey by itself", "try srun --mpi=pmix");
  launch.is_mpi ? survey_ranks(request) : survey_this_host(request);
}

}  // namespace loadshare::tool
