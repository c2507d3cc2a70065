#include "apps/loadshare/metrics/kept_efficiency.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "schedulers/error.hpp"

namespace loadshare::tool {
namespace {

/// Options that say how much there is to compute.
constexpr std::array sizes{
    "size",   "rows", "cols",  "inner",       "iterations",   "width",        "height", "depth",
    "repeat", "work", "tasks", "input_bytes", "output_bytes", "shared_bytes", "cost",   "rounds_per_second",
    "class"};

bool sets_a_size(const std::string& name) {
  return std::ranges::find(sizes, name) != sizes.end();
}

/// W of a setting is one number whatever p is: what the fewest ranks computed. (The time of a run on one rank
/// would count what was stolen from it.)
double problem_size_s(const SettingStudy& study) {
  return *study.points.front().spread.median.computing_s;
}

/// Names of options that one of the two has otherwise, but for those that set a size.
void add_differing(std::set<std::string>& names, const Setting& one, const Setting& other) {
  for (const auto& [name, value] : one.options) {
    const auto found = other.options.find(name);
    const bool differs = found == other.options.end() || found->second != value;
    if (differs && !sets_a_size(name)) names.insert(name);
  }
}

void require_one_program(const std::vector<SettingStudy>& settings) {
  std::set<std::string> programs;
  for (const SettingStudy& study : settings) programs.insert(study.setting.program);
  if (programs.size() > 1)
    throw UsageError(fmt::format("isoefficiency of {} programs", programs.size()), "it is of one program",
                     "give the files of one");
}

void require_only_sizes_differ(const std::vector<SettingStudy>& settings) {
  if (settings.size() < 2)
    throw UsageError("isoefficiency of one problem size", "it takes runs of at least two sizes",
                     "give more files");
  std::set<std::string> names;
  for (const SettingStudy& study : settings) {
    add_differing(names, settings.front().setting, study.setting);
    add_differing(names, study.setting, settings.front().setting);
  }
  if (!names.empty())
    throw UsageError(fmt::format("isoefficiency of runs that differ in {}", fmt::join(names, ", ")),
                     "only the size of the problem may differ", "give the runs of one such setting");
}

}  // namespace

std::vector<granularity::IsoefficiencyPoint> isoefficiency_of(const std::vector<SettingStudy>& settings,
                                                              double kept) {
  require_one_program(settings);
  require_only_sizes_differ(settings);
  std::vector<granularity::SizedRun> runs;
  for (const SettingStudy& study : settings)
    for (const Point& point : study.points)
      runs.push_back({point.processors(), problem_size_s(study), *point.spread.median.efficiency});
  return granularity::isoefficiency(runs, kept);
}

}  // namespace loadshare::tool
