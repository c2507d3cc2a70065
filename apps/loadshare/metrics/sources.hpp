#pragma once

#include <string>
#include <vector>

#include "apps/loadshare/metrics/run.hpp"

namespace loadshare::tool {

/// What a file tells: its runs, and what of it was left out.
struct Source {
  std::vector<SourcedRun> runs;
  std::vector<std::string> notes;
};

/// The runs of a file of run records (a line each, of one run or of many), of a folder that
/// `loadshare sweep` wrote, or of a profile. Runs that failed, and a last line that was not finished, are
/// left out and noted. Throws UsageError, with file and line, on everything else that is no sound record, and
/// where nothing is left.
Source runs_of(const std::string& path);

/// The files that a path means: itself, or what a sweep keeps in its folder, of which the first holds the
/// runs. Throws UsageError where it means none.
std::vector<std::string> files_behind(const std::string& path);

}  // namespace loadshare::tool
