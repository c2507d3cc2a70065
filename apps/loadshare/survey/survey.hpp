#pragma once

#include <string>
#include <vector>

#include "apps/loadshare/survey/measure.hpp"

namespace loadshare::tool {

/// What whoever reads a survey has to know beside its numbers: ranks that share processors or a limit, and
/// figures that rest on little.
std::vector<std::string> remarks_on(const HostSurvey& survey);

/// A survey for people: a line a rank, and notes.
std::string survey_text(const HostSurvey& survey);

/// `loadshare survey`.
struct SurveyRequest {
  double seconds = 1;
  std::string out;   ///< the survey's file; empty: none
  std::string json;  ///< the same once more, "-" for stdout; empty: none
};

/// Measures at the same time on every rank of an MPI run, or on this host alone outside one, what its
/// processor computes and how much of it there is now; writes the file and prints a table. To be called by
/// every rank. Throws UsageError where an output cannot be written, before anything is measured; Error
/// (interrupted), having written nothing, on SIGINT and SIGTERM.
void survey_hosts(const SurveyRequest& request);

}  // namespace loadshare::tool
