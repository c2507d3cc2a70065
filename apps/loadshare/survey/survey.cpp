#include "apps/loadshare/survey/survey.hpp"

#include <fmt/format.h>

#include <ctime>
#include <nlohmann/json.hpp>

#include "apps/common/interruption.hpp"
#include "apps/common/own_files.hpp"
#include "apps/common/standard_output.hpp"
#include "apps/loadshare/output.hpp"
#include "apps/loadshare/survey/measure.hpp"
#include "apps/loadshare/survey/remarks.hpp"
#include "apps/loadshare/survey/survey_file.hpp"
#include "apps/loadshare/survey/survey_text.hpp"
#include "runtime/farm/agreement.hpp"
#include "runtime/farm/launch.hpp"
#include "runtime/timing/clock.hpp"
#include "runtime/timing/output_path.hpp"
#include "runtime/timing/utc_text.hpp"
#include "runtime/timing/wording.hpp"
#include "runtime/transport/mpi/mpi_transport.hpp"

namespace loadshare::tool {
namespace {

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

void survey_hosts(const SurveyRequest& request) {
  const Launch launch = detect_launch();
  if (launch.is_stray_task)
    throw UsageError("srun started several tasks that MPI knows nothing of",
                     "each of them would survey by itself", "try srun --mpi=pmix");
  launch.is_mpi ? survey_ranks(request) : survey_this_host(request);
}

}  // namespace loadshare::tool
