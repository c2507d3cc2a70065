#pragma once

#include <string>

namespace loadshare::tool {

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
