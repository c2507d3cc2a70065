#include "apps/loadshare/graph/profiled_runs.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "apps/common/number.hpp"
#include "apps/loadshare/graph/assignments.hpp"
#include "models/reconstruction/traces.hpp"
#include "runtime/profile/profile.hpp"
#include "schedulers/error.hpp"

namespace loadshare::tool {
namespace {

/// The word without its file, and the file.
struct Parts {
  std::string assignments;
  std::string file;
};

Parts parts_of(const std::string& word) {
  const std::size_t colon = word.find(':');
  const bool has_assignments = colon != std::string::npos && word.find('=') < colon;
  return has_assignments ? Parts{word.substr(0, colon), word.substr(colon + 1)} : Parts{"", word};
}

scaling::Setting setting_of(const std::string& assignments, std::size_t ranks) {
  scaling::Setting setting;
  for (const Assignment& given : parse_assignments("--from", assignments)) {
    if (given.name == "p")
      throw UsageError(fmt::format("--from has 'p={}'", given.value),
                       "p is the number of a profile's ranks, which it knows itself", "leave it out");
    setting[given.name] = number("--from", given.value);
    if (setting[given.name] <= 0)
      throw UsageError(fmt::format("--from has '{}={}'", given.name, given.value),
                       "laws are of positive sizes");
  }
  setting["p"] = static_cast<double>(ranks);
  return setting;
}

/// The first word of a command, without its folders.
std::string name_of(const std::string& program) {
  return std::filesystem::path(program.substr(0, program.find(' '))).filename().string();
}

}  // namespace

std::string file_of_run(const std::string& word) {
  return parts_of(word).file;
}

SourceRun read_source_run(const std::string& word) {
  const Parts parts = parts_of(word);
  const profile::Profile profile = profile::read_profile(parts.file);
  SourceRun source;
  source.run = {parts.file, setting_of(parts.assignments, profile.ranks.size()), 0,
                reconstruction::traces_of(profile)};
  source.run.makespan_s = reconstruction::makespan_s(source.run.traces);
  source.program = name_of(profile.program);
  for (const profile::RankProfile& rank : profile.ranks) source.hosts.push_back(rank.host);
  return source;
}

}  // namespace loadshare::tool
