#pragma once

#include <string>
#include <vector>

namespace loadshare {

/// A file by the option it was given with; an empty path is an option not given.
struct NamedFile {
  const char* option;
  std::string path;
};

/// One output over another, or a report in an input, is a slip that costs data: throws UsageError where a
/// report is the same file as one of `data` or as another report.
void require_own_files(std::vector<NamedFile> data, const std::vector<NamedFile>& reports);

}  // namespace loadshare
