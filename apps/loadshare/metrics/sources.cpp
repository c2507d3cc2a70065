#include "apps/loadshare/metrics/sources.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <filesystem>

#include "apps/common/system_reason.hpp"
#include "apps/loadshare/metrics/profile_run.hpp"
#include "apps/loadshare/metrics/record_lines.hpp"
#include "runtime/profile/profile.hpp"
#include "schedulers/error.hpp"

namespace loadshare::tool {
namespace {

namespace fs = std::filesystem;

constexpr const char* runs_name = "runs.jsonl";
constexpr const char* manifest_name = "sweep.json";

}  // namespace

std::vector<std::string> files_behind(const std::string& path) {
  std::error_code failure;
  const fs::file_status status = fs::status(path, failure);
  if (!fs::exists(status)) throw UsageError(fmt::format("cannot read {}", path), system_reason(ENOENT));
  if (!fs::is_directory(status)) return {path};
  const fs::path folder(path);
  if (!fs::exists(folder / runs_name, failure))
    throw UsageError(fmt::format("{} is not a sweep's folder", path), "it has no runs.jsonl",
                     "name a file, or the folder that loadshare sweep wrote");
  return {(folder / runs_name).string(), (folder / manifest_name).string()};
}

Source runs_of(const std::string& path) {
  const std::string file = files_behind(path).front();
  if (profile::is_profile(file)) return {{read_profile_run(file)}, {}};
  Source source = read_record_lines(file);
  if (!source.runs.empty()) return source;
  throw UsageError(fmt::format("{} holds no runs", file),
                   source.notes.empty() ? "it is empty" : source.notes.front(),
                   "give what a program wrote with --json, or a profile");
}

}  // namespace loadshare::tool
