#pragma once

#include <atomic>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/io/json.hpp"
#include "base/types.hpp"
#include "models/farm/processors.hpp"

namespace loadshare::tool {

/// What a processor computes in a second of processor time, by many short pieces of work.
struct MeasuredSpeed {
  double median_gflops = 0;
  double low_gflops = 0;   ///< the 5th percentile
  double high_gflops = 0;  ///< the 95th
  Index pieces = 0;
};

/// A rank's host as the rank found it.
struct SurveyedRank {
  int rank = 0;
  std::string host;
  std::vector<int> cpus;  ///< where it may run
  std::string system;     ///< the kernel
  MeasuredSpeed speed;
  /// What its control group grants this rank, its equal part where several ranks of a host live by one quota;
  /// nothing: a whole processor.
  std::optional<predictor::CpuQuota> grant;
  double busy = 0;       ///< processor time it had / time, while it had always something to do
  double available = 1;  ///< of what is granted: what other programs left, in (0, 1]
};

/// What `loadshare survey` found: of each rank its host, all measured at the same time.
struct HostSurvey {
  static constexpr int schema = 1;

  std::string begun;                            ///< "2026-01-31T12:00:00Z"
  double seconds = 0;                           ///< for which each rank was busy
  std::map<std::string, std::string> versions;  ///< of loadshare and, under mpirun, MPI
  std::vector<SurveyedRank> ranks;              ///< by rank
  std::vector<std::string> notes;
};

/// The two clocks of a busy thread at one instant: when it began, and then at the end of each piece.
struct BusyStamp {
  double time_s = 0;
  double cpu_s = 0;  ///< processor time it has had
};

/// How fast pieces of so many floating-point operations went, by their processor time.
MeasuredSpeed speed_of(std::span<const BusyStamp> stamps, double operations_each);

/// Processor time / time of a thread that always had something to do, in (0, 1]. A control group's limit lets
/// it run in turns, and a turn more or less at the ends would be several percent: under a grant it is counted
/// from the end of the first stop to the end of the last, where these lie far enough apart.
double busy_share(std::span<const BusyStamp> stamps, const std::optional<predictor::CpuQuota>& grant);

/// By how much of itself what is available of a grant may be wrong, where so many seconds were measured: a
/// turn more or less.
double turn_error(const predictor::CpuQuota& grant, double seconds);

/// What others leave of a grant (nothing: of a whole processor) to a thread that had that share, in (0, 1].
double available_of(double busy, const std::optional<predictor::CpuQuota>& grant);

/// What one of so many ranks has that live by the same limit; nothing where it is a whole processor.
std::optional<predictor::CpuQuota> grant_of_one(const predictor::CpuQuota& of_all, int ranks);

/// When this rank computes, on its host's clock (monotonic_s).
struct SurveyWindow {
  double begin_s = 0;
  double seconds = 1;
};

/// Sleeps until the window begins, so that its control group owes nothing by then, and computes until it
/// ends, or until `is_interrupted`; `rank` then has the speed, the busy share and what is available of its
/// grant. Throws Error (run_failed) where the processor computes wrongly.
void measure(const SurveyWindow& window, const std::atomic<bool>& is_interrupted, SurveyedRank& rank);

/// This process's host, processors and kernel, and what the control group grants it as one of so many ranks
/// of its host.
SurveyedRank describe_rank(int rank, int local_ranks);

/// A survey as JSON, a rank a line.
std::string to_json(const HostSurvey& survey);

/// Reads what that wrote; `path` is named in errors. Throws UsageError that names the path, and the line of
/// the rank that is wrong.
HostSurvey parse_survey(const std::string& text, const std::string& path);

/// One rank, as it stands in the file and as ranks tell the first of them.
nlohmann::ordered_json rank_json(const SurveyedRank& rank);
SurveyedRank read_surveyed_rank(const Fields& fields);

/// What whoever reads a survey has to know beside its numbers: ranks that share processors or a limit, and
/// figures that rest on little.
std::vector<std::string> remarks_on(const HostSurvey& survey);

/// A survey for people: a line a rank, and notes.
std::string survey_text(const HostSurvey& survey);

}  // namespace loadshare::tool
