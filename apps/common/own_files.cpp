#include "apps/common/own_files.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "schedulers/error.hpp"

namespace loadshare {
namespace {

namespace fs = std::filesystem;

/// Whether two names mean one regular file, now or once it is written.
bool is_same_file(const std::string& one, const std::string& other) {
  std::error_code ignored;
  const bool exists = fs::exists(one, ignored) && fs::exists(other, ignored);
  if (exists) return fs::is_regular_file(one, ignored) && fs::equivalent(one, other, ignored);
  return fs::weakly_canonical(one, ignored) == fs::weakly_canonical(other, ignored);
}

}  // namespace

void require_own_files(std::vector<NamedFile> data, const std::vector<NamedFile>& reports) {
  for (const NamedFile& report : reports) {
    for (const NamedFile& file : data)
      if (!report.path.empty() && !file.path.empty() && is_same_file(report.path, file.path))
        throw UsageError(fmt::format("{} and {} are the same file", file.option, report.option), report.path,
                         "name another file");
    data.push_back(report);
  }
}

}  // namespace loadshare
