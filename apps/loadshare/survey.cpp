#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <ctime>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "apps/loadshare/command.hpp"
#include "apps/loadshare/host_survey.hpp"
#include "apps/loadshare/output.hpp"
#include "base/error.hpp"
#include "base/io/files.hpp"
#include "base/io/text.hpp"
#include "base/quantities.hpp"
#include "models/efficiency/runs.hpp"
#include "program/interruption.hpp"
#include "runtime/farm/program.hpp"
#include "runtime/host/clock.hpp"
#include "runtime/transport/mpi/mpi_transport.hpp"

namespace loadshare::tool {
namespace {

/// `loadshare survey`.
struct SurveyRequest {
  double seconds = 1;
  std::string out;   ///< the survey's file; empty: none
  std::string json;  ///< the same once more, "-" for stdout; empty: none
};

constexpr double forever_s = 1e9;
constexpr double lead_s = 0.2;  // from when all are there until they begin: the word goes from host to host
constexpr double late_share = 0.05;  // of the time measured, that one may begin after the others

void require_outputs(const SurveyRequest& request) {
  loadshare::require_outputs({},
                             {{"--out", request.out, "the survey"}, {"--json", request.json, "the JSON"}});
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
  answer(request.json, "the survey", survey_text(survey), file);
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

/// Measures at the same time on every rank of an MPI run, or on this host alone outside one, what its
/// processor computes and how much of it there is now; writes the file and prints a table. To be called by
/// every rank. Throws UsageError where an output cannot be written, before anything is measured; Error
/// (interrupted), having written nothing, on SIGINT, SIGTERM and SIGHUP.
void survey_hosts(const SurveyRequest& request) {
  const Launch launch = detect_launch();
  if (launch.is_stray_task)
    throw UsageError("srun started several tasks without MPI between them",
                     "each of them would survey only its own host", "try srun --mpi=pmix");
  launch.is_mpi ? survey_ranks(request) : survey_this_host(request);
}

constexpr double least_seconds = 0.1;  // some turns of a rank that is granted a tenth of a processor
constexpr double most_seconds = 60;

double parse_seconds(const std::string& text) {
  const double seconds = positive_number("--seconds", text);
  if (seconds < least_seconds || seconds > most_seconds)
    throw UsageError(fmt::format("--seconds is {}", text),
                     fmt::format("from {} to {}", least_seconds, most_seconds));
  return seconds;
}

class Survey final : public Command {
 public:
  void describe(CLI::App& app) override {
    app.callback([this, &app] { terms_ = terms_of(app); });
    app.add_option("--seconds", seconds_, "total time for which all ranks compute at the same time")
        ->type_name("S")
        ->capture_default_str();
    app.add_option("--out", out_, "save the survey, for loadshare predict")->type_name("FILE");
    app.add_option("--json", json_, "write the same as JSON; - writes only the JSON, to stdout")
        ->type_name("FILE|-");
    app.footer(
        "Every rank measures the speed of its processor, the share that a control group grants of it, and "
        "the\n"
        "share that other programs leave free now. Without mpirun, one process measures this host.\n"
        "  mpirun -q -np 2 loadshare survey --out hosts.json");
  }

  ExitCode run() override {
    const SurveyRequest request{parse_seconds(seconds_), out_, json_};
    if (detect_launch().is_mpi) require_agreement(terms_);
    survey_hosts(request);
    return ExitCode::good;
  }

 private:
  Terms terms_;
  std::string seconds_ = "1";
  std::string out_;
  std::string json_;
};

}  // namespace

std::unique_ptr<Command> make_survey_command() {
  return std::make_unique<Survey>();
}

}  // namespace loadshare::tool
