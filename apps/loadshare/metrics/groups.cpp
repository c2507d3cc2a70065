#include "apps/loadshare/metrics/groups.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace loadshare::tool {
namespace {

/// Runs that tell idle time and runs that do not have other figures.
Setting setting_of(const SourcedRun& run) {
  Setting setting = run.setting;
  if (!run.times.tells_idle) setting.options[idle_option] = std::string("not told apart");
  return setting;
}

void leave_out_cut_short(std::vector<SourcedRun>& runs, std::vector<std::string>& notes) {
  const auto is_cut_short = [](const SourcedRun& run) { return !run.has_ended; };
  if (std::ranges::all_of(runs, is_cut_short)) return;
  for (const SourcedRun& run : runs)
    if (is_cut_short(run)) notes.push_back(fmt::format("{}: left out, for the run was cut short", run.place));
  std::erase_if(runs, is_cut_short);
}

}  // namespace

Groups grouped(std::vector<Source> sources, std::vector<std::string>& notes) {
  Groups groups;
  for (Source& source : sources) {
    std::ranges::move(source.notes, std::back_inserter(notes));
    for (SourcedRun& run : source.runs) {
      run.setting = setting_of(run);
      groups[run.setting][run.times.ranks.size()].push_back(std::move(run));
    }
  }
  for (auto& [setting, by_ranks] : groups)
    for (auto& [ranks, runs] : by_ranks) leave_out_cut_short(runs, notes);
  return groups;
}

}  // namespace loadshare::tool
