#pragma once

#include <string>
#include <vector>

#include "models/reconstruction/profiled_run.hpp"

namespace loadshare::tool {

/// A run that a timing graph is built from, and where its ranks were.
struct SourceRun {
  reconstruction::ProfiledRun run;
  std::string program;             ///< its command's name
  std::vector<std::string> hosts;  ///< by rank
};

/// The file of `n=65536:run.profile`, and of `run.profile`.
std::string file_of_run(const std::string& word);

/// Reads `n=65536:run.profile`: a profile and the parameters that its run had besides p, the number of its
/// ranks; `run.profile` where there are none. Throws UsageError.
SourceRun read_source_run(const std::string& word);

}  // namespace loadshare::tool
