#include "models/farm/farm_runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <variant>

#include "base/error.hpp"
#include "base/io/text.hpp"
#include "base/names.hpp"
#include "runtime/records/reading.hpp"

namespace loadshare::predictor {
namespace {

/// Where the file has the run; its sweep is the folder that it lies in.
FarmRuns::Place place_of(const ReadRun& run, const std::string& file) {
  if (!run.experiment) return {};
  const std::string folder = std::filesystem::path(file).parent_path().string();
  return {folder.empty() ? "." : folder, *run.experiment, run.point};
}

/// Identifies a run: what ran and where, how long it took, and each rank's times, to the nanosecond.
using RunKey = std::tuple<std::vector<std::string>, std::map<std::string, OptionValue>, std::vector<double>>;
RunKey key_of(const RunRecord& run, const FarmRuns::Place& place) {
  std::vector<std::string> words{place.sweep, place.experiment, place.point, run.app, run.scheduler};
  words.push_back(run.load ? run.load->spec : "");
  std::vector<double> numbers{run.makespan_s, static_cast<double>(run.iterations)};
  if (run.loop) numbers.insert(numbers.end(), {run.loop->input_bytes, run.loop->result_bytes});
  for (const RankRecord& rank : run.ranks) {
    words.push_back(rank.host);
    numbers.insert(numbers.end(), {rank.computing_s, rank.stolen_s, rank.communicating_s, rank.idle_s});
  }
  return {std::move(words), run.options, std::move(numbers)};
}

/// Refuses a run that was added before.
class EachOnce {
 public:
  void add(const RunRecord& run, const FarmRuns::Place& of_sweep, const std::string& place) {
    const auto [earlier, is_new] = places_.try_emplace(key_of(run, of_sweep), place);
    if (!is_new)
      throw UsageError(fmt::format("{} is the same run as {}", place, earlier->second),
                       "each run counts once", "give each run once");
  }

 private:
  std::map<RunKey, std::string> places_;
};

/// Moves the runs for which that is so, with their places.
FarmRuns taken_where(FarmRuns& runs, const auto& is_wanted) {
  FarmRuns taken, left;
  for (std::size_t i = 0; i < runs.runs.size(); ++i) {
    FarmRuns& side = is_wanted(i) ? taken : left;
    side.runs.push_back(std::move(runs.runs[i]));
    side.places.push_back(std::move(runs.places[i]));
  }
  left.notes = std::move(runs.notes);
  runs = std::move(left);
  return taken;
}

template <class T>
T option_of(const RunRecord& run, const std::string& name, T otherwise) {
  const auto found = run.options.find(name);
  if (found == run.options.end()) return otherwise;
  const T* value = std::get_if<T>(&found->second);
  return value ? *value : otherwise;
}

/// Records of older programs do not tell how often it is granted.
CpuQuota grant_of(const RankRecord& rank) {
  CpuQuota grant{.share = rank.capacity};
  if (rank.limit_period_s > 0) grant.period_s = rank.limit_period_s;
  if (rank.tick_s > 0) grant.tick_s = rank.tick_s;
  return grant;
}

/// How a run is farmed out, which may differ between it and those that its model comes from.
bool is_of_farm(const std::string& name) {
  static const std::set<std::string> of_farm{"scheduler",      "master",  "master_rank",
                                             "prefetch",       "reissue", "wait",
                                             "ranks_per_host", "load",    "on_failure"};
  return of_farm.contains(name);
}

/// What says which loop a run computed.
std::map<std::string, OptionValue> loop_of(const RunRecord& run) {
  std::map<std::string, OptionValue> loop = setting_options(run.options);
  std::erase_if(loop, [](const auto& option) { return is_of_farm(option.first); });
  loop["program"] = run.app;
  loop["iterations"] = run.iterations;
  if (run.seed) loop["seed"] = *run.seed;
  return loop;
}

std::string text_of(const std::map<std::string, OptionValue>& loop, const std::string& name) {
  const auto found = loop.find(name);
  if (found == loop.end()) return "none";
  return std::visit([](const auto& scalar) { return fmt::format("{}", scalar); }, found->second);
}

}  // namespace

FarmRuns read_farm_runs(const std::vector<std::string>& paths) {
  FarmRuns all;
  EachOnce each_once;
  std::vector<std::string> lines;  // of each run
  require_each_once(paths);
  for (const std::string& path : paths) {
    const std::string file = files_behind(path).front();
    const std::size_t before = all.runs.size();
    const auto notes = read_records(file, RecordParts::farm, [&](ReadRun run) {
      all.places.push_back(place_of(run, file));
      all.runs.push_back(std::move(run.record));
      lines.push_back(std::move(run.place));
    });
    for (std::size_t i = before; i < all.runs.size(); ++i)
      each_once.add(all.runs[i], all.places[i], lines[i]);
    all.notes.insert(all.notes.end(), notes.begin(), notes.end());
    if (all.runs.size() == before)
      throw UsageError(file + " holds no runs", all.notes.empty() ? "it is empty" : all.notes.back(),
                       "give what a farm application wrote with --json, or a sweep's folder");
  }
  return all;
}

FarmRuns take_experiment(FarmRuns& runs, const std::string& name) {
  std::set<std::string> names;
  for (const FarmRuns::Place& place : runs.places) names.insert(place.experiment);
  FarmRuns taken = taken_where(runs, [&](std::size_t i) { return runs.places[i].experiment == name; });
  if (taken.runs.empty() && names == std::set<std::string>{""})
    throw UsageError("there is no experiment " + name, "the runs are not of a sweep",
                     "give --from, a file of other runs");
  if (taken.runs.empty())
    throw unknown_name("experiment", name, std::vector<std::string>(names.begin(), names.end()));
  if (runs.runs.empty())
    throw UsageError("nothing to compare", "all runs are of the experiment " + name,
                     "give sweeps with others");
  return taken;
}

void leave_out_vanished(FarmRuns& runs) {
  const FarmRuns vanished = taken_where(runs, [&](std::size_t i) { return has_vanished_host(runs.runs[i]); });
  if (runs.runs.empty())
    throw UsageError("in all runs a host was lost before the end", "the records do not describe that host",
                     "record the runs again");
  if (!vanished.runs.empty())
    runs.notes.push_back(count_text(std::ssize(vanished.runs), "run", "runs") +
                         " left out: a host was lost before the end");
}

FarmSetting setting_of(const RunRecord& run) {
  FarmSetting setting;
  std::vector<const RankRecord*> ranks;
  for (const RankRecord& rank : run.ranks) ranks.push_back(&rank);
  std::ranges::sort(ranks, {}, &RankRecord::rank);
  for (const RankRecord* rank : ranks) {
    if (rank->role != Role::worker) {
      setting.master_rank = setting.hosts.size();
      setting.master_works = rank->role == Role::working_master;
    }
    HostModel host;
    host.name = rank->host;
    if (rank->capacity < 1) host.grant = grant_of(*rank);
    setting.hosts.push_back(std::move(host));
  }
  setting.prefetch = option_of<Index>(run, "prefetch", 0);
  setting.reissue = option_of<bool>(run, "reissue", false) ? Reissue::on : Reissue::off;
  setting.naps = option_of<std::string>(run, "wait_in_force", "nap") == "nap";
  if (run.load) setting.load = parse_load_spec(run.load->spec);
  return setting;
}

std::optional<std::string> loop_difference(const RunRecord& run, const RunRecord& other) {
  const auto loop = loop_of(run), others = loop_of(other);
  // Who takes another program's run for one of this wants to hear that, not in which option they differ.
  std::vector<std::string> names{"program", "iterations"};
  for (const auto* one : {&loop, &others})
    for (const auto& [name, value] : *one) names.push_back(name);
  for (const std::string& name : names)
    if (!loop.contains(name) || !others.contains(name) || loop.at(name) != others.at(name))
      return fmt::format("{}: {}, not {}", name, text_of(loop, name), text_of(others, name));
  if (!run.loop || !other.loop) return std::nullopt;
  // Two loops of one program have the same options.
  const auto bytes = [](const RunRecord& of) {
    return std::pair(of.loop->input_bytes, of.loop->result_bytes);
  };
  if (bytes(run) != bytes(other))
    return fmt::format("bytes of input and results: {:.0f} and {:.0f}, not {:.0f} and {:.0f}",
                       bytes(run).first, bytes(run).second, bytes(other).first, bytes(other).second);
  return std::nullopt;
}

bool has_vanished_host(const RunRecord& run) {
  return std::ranges::any_of(run.ranks, [](const RankRecord& rank) { return rank.host == vanished_host; });
}

}  // namespace loadshare::predictor
