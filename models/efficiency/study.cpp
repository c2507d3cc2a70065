#include "models/efficiency/study.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <set>

#include "base/error.hpp"
#include "base/io/text.hpp"
#include "base/statistics.hpp"
#include "models/efficiency/study_notes.hpp"

namespace loadshare::granularity {
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
    if (is_cut_short(run))
      notes.push_back(fmt::format("{}: left out because the run was cut short", run.place));
  std::erase_if(runs, is_cut_short);
}

Setting problem_of(Setting setting) {
  for (const char* name : {experiment_option, load_option, idle_option}) setting.options.erase(name);
  return setting;
}

bool is_loaded(const Setting& setting) {
  return setting.options.contains(load_option);
}

const OptionValue* option_of(const Setting& setting, const char* name) {
  const auto found = setting.options.find(name);
  return found == setting.options.end() ? nullptr : &found->second;
}

bool has_same(const char* name, const Setting& one, const Setting& other) {
  const OptionValue* a = option_of(one, name);
  const OptionValue* b = option_of(other, name);
  return a != nullptr && b != nullptr ? *a == *b : a == b;
}

std::string file_of_run(const SourcedRun& run) {
  return run.place.substr(0, run.place.rfind(':'));
}

/// A quota says how fast a host is; without one only its name does.
bool is_equal_host(const RankTimes& one, const RankTimes& other) {
  const bool is_limited = one.capacity < 1;
  return !are_unequal(std::array{one.capacity, other.capacity}) && (is_limited || one.host == other.host);
}

bool fits_a_run_of(const RunsByRanks& by_ranks, const SourcedRun& alone) {
  return std::ranges::any_of(by_ranks, [&](const auto& entry) {
    return std::ranges::any_of(entry.second, [&](const SourcedRun& run) {
      return file_of_run(run) == file_of_run(alone) &&
             is_equal_host(run.times.ranks.front(), alone.times.ranks.front());
    });
  });
}

std::vector<SourcedRun> ended_runs_alone(const RunsByRanks& by_ranks) {
  const auto alone = by_ranks.find(1);
  std::vector<SourcedRun> runs = alone == by_ranks.end() ? std::vector<SourcedRun>() : alone->second;
  std::erase_if(runs, [](const SourcedRun& run) { return !run.has_ended; });
  return runs;
}

std::string words_for(const std::vector<SourcedRun>& runs, const Setting& setting) {
  const Setting& of_runs = runs.front().setting;
  std::string where = is_loaded(of_runs) ? ", under the load" : "";
  if (!has_same(experiment_option, of_runs, setting))
    where +=
        fmt::format(" of the experiment {}", std::get<std::string>(*option_of(of_runs, experiment_option)));
  if (runs.size() == 1) return fmt::format("the run on 1 rank{}, {}", where, runs.front().place);
  return fmt::format("the median of {} runs on 1 rank{}", runs.size(), where);
}

double median_over(const std::vector<SourcedRun>& runs, const auto& of) {
  std::vector<double> values;
  std::ranges::transform(runs, std::back_inserter(values), of);
  return median_of(std::move(values));
}

/// Looks among the settings of the same problem; the first with a run that `accepts`.
SequentialRuns found_where(const Groups& groups, const Setting& setting, const auto& accepts) {
  for (const auto& [candidate, by_ranks] : groups) {
    if (problem_of(candidate) != problem_of(setting)) continue;
    std::vector<SourcedRun> runs = ended_runs_alone(by_ranks);
    std::erase_if(runs, [&](const SourcedRun& run) { return !accepts(candidate, run); });
    if (!runs.empty()) return {runs, words_for(runs, setting)};
  }
  return {};
}

const RunTimes& largest_run(const Groups& groups) {
  const auto most = [](const auto& group) { return group.second.rbegin()->first; };
  return std::ranges::max_element(groups, {}, most)->second.rbegin()->second.front().times;
}

std::optional<std::size_t> place_of(const RunTimes& run, int rank) {
  const auto found = std::ranges::find(run.ranks, rank, &RankTimes::rank);
  if (found == run.ranks.end()) return std::nullopt;
  return static_cast<std::size_t>(found - run.ranks.begin());
}

SpeedBasis given_basis(const Groups& groups, const SpeedRequest& request) {
  const RunTimes& largest = largest_run(groups);
  const int reference = request.reference_rank.value_or(largest.ranks.front().rank);
  return {SpeedSource::given, request.given, request.given[place_of(largest, reference).value()],
          are_unequal(request.given)};
}

void add_quotas(std::vector<double>& quotas, const std::vector<SourcedRun>& runs) {
  for (const SourcedRun& run : runs)
    for (const RankTimes& rank : run.times.ranks) quotas.push_back(rank.capacity);
}

std::vector<double> all_quotas(const RunsByRanks& by_ranks, const std::vector<SourcedRun>& alone) {
  std::vector<double> quotas;
  add_quotas(quotas, alone);
  for (const auto& [ranks, runs] : by_ranks) add_quotas(quotas, runs);
  return quotas;
}

/// The median speed of a rank over the runs that tell it; of the first one where no number is given.
std::optional<double> median_speed(const std::vector<SourcedRun>& runs, std::optional<int> rank,
                                   SpeedSource source) {
  Knowledge knowledge;
  knowledge.speed_source = source;
  std::vector<double> values;
  for (const SourcedRun& run : runs) {
    const std::optional<std::size_t> place = rank ? place_of(run.times, *rank) : 0;
    const auto speeds = speeds_of(run.times, knowledge);
    if (place && speeds) values.push_back((*speeds)[*place]);
  }
  return values.empty() ? std::nullopt : std::optional(median_of(std::move(values)));
}

bool tells_speeds(const RunsByRanks& by_ranks) {
  return std::ranges::any_of(by_ranks, [](const auto& entry) {
    return std::ranges::any_of(entry.second,
                               [](const SourcedRun& run) { return measured_speeds(run.times).has_value(); });
  });
}

bool is_same_run(const RunTimes& one, const RunTimes& other) {
  const auto same = [](const RankTimes& a, const RankTimes& b) {
    return a.computing_s == b.computing_s && a.communicating_s == b.communicating_s && a.idle_s == b.idle_s;
  };
  return one.run_s == other.run_s && std::ranges::equal(one.ranks, other.ranks, same);
}

void require_distinct(const std::vector<SourcedRun>& runs) {
  for (std::size_t i = 0; i < runs.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (is_same_run(runs[i].times, runs[j].times))
        throw UsageError(fmt::format("{} is the same run as {}", runs[i].place, runs[j].place),
                         "each run counts once", "give each run once");
}

std::vector<Figure> median_speeds(const std::vector<SourcedRun>& runs, const Knowledge& knowledge) {
  std::vector<std::vector<double>> of_rank(runs.front().times.ranks.size());
  for (const SourcedRun& run : runs)
    if (const auto speeds = speeds_of(run.times, knowledge))
      for (std::size_t i = 0; i < of_rank.size(); ++i) of_rank[i].push_back((*speeds)[i]);
  std::vector<Figure> medians;
  for (std::vector<double>& speeds : of_rank)
    medians.push_back(speeds.size() < runs.size() ? Figure() : median_of(std::move(speeds)));
  return medians;
}

std::vector<Figures> median_ranks(const std::vector<SourcedRun>& runs, const Knowledge& knowledge) {
  std::vector<std::vector<Figures>> of_rank(runs.front().times.ranks.size());
  for (const SourcedRun& run : runs) {
    const std::vector<Figures> ranks = figures_of_ranks(run.times, knowledge);
    for (std::size_t i = 0; i < ranks.size(); ++i) of_rank[i].push_back(ranks[i]);
  }
  std::vector<Figures> medians;
  for (const auto& figures : of_rank) medians.push_back(spread_of(figures).median);
  return medians;
}

std::optional<Figures> median_whole(const std::vector<SourcedRun>& runs) {
  std::vector<Figures> whole;
  for (const SourcedRun& run : runs)
    if (run.whole) whole.push_back(figures_of(*run.whole));
  return whole.size() == runs.size() ? std::optional(spread_of(whole).median) : std::nullopt;
}

/// What the model says of `runs`, which have one setting and one number of ranks. Throws UsageError where a
/// run is among them twice, and where what was asked for does not fit them.
Point point_of(std::vector<SourcedRun> runs, const SequentialTimes& sequential, const SpeedBasis& speeds) {
  require_distinct(runs);
  Knowledge knowledge = knowledge_of(speeds, runs.front().times.ranks.size());
  knowledge.sequential = sequential;
  Point point;
  for (const SourcedRun& run : runs) point.by_run.push_back(figures_of(run.times, knowledge));
  point.spread = spread_of(point.by_run);
  point.ranks = median_ranks(runs, knowledge);
  point.speeds = median_speeds(runs, knowledge);
  point.whole = median_whole(runs);
  point.runs = std::move(runs);
  point.notes = notes_of(point, speeds.source);
  return point;
}

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
    throw UsageError(fmt::format("these are runs of {} programs", programs.size()),
                     "isoefficiency is about one; a profile does not show which argument is the problem size",
                     "give records (--json) of one program");
}

void require_only_sizes_differ(const std::vector<SettingStudy>& settings) {
  if (settings.size() < 2)
    throw UsageError("all runs are of one problem size", "isoefficiency needs at least two",
                     "give more files");
  std::set<std::string> names;
  for (const SettingStudy& study : settings) {
    add_differing(names, settings.front().setting, study.setting);
    add_differing(names, study.setting, settings.front().setting);
  }
  if (!names.empty())
    throw UsageError(fmt::format("the runs differ in {}", fmt::join(names, ", ")),
                     "for isoefficiency only the size of the problem may differ",
                     "give the runs of one such setting");
}

/// Which problem keeps the efficiency at `kept`, over settings that are sizes of one problem. Throws
/// UsageError where they differ in anything but options that set a size, or where there is only one.
std::vector<IsoefficiencyPoint> isoefficiency_of(const std::vector<SettingStudy>& settings, double kept) {
  require_one_program(settings);
  require_only_sizes_differ(settings);
  std::vector<SizedRun> runs;
  for (const SettingStudy& study : settings)
    for (const Point& point : study.points)
      runs.push_back({point.processors(), problem_size_s(study), *point.spread.median.efficiency});
  return isoefficiency(runs, kept);
}

/// What more ranks compute beyond what the fewest do is no part of the problem.
void add_scaling(std::vector<Point>& points) {
  if (points.size() < 2) return;
  const double fewest_s = *points.front().spread.median.computing_s;
  for (Point& point : points) {
    const Figures& median = point.spread.median;
    if (*median.computing_s <= 0) continue;
    point.computation_scaling = fewest_s / *median.computing_s;
    if (median.efficiency) point.global_efficiency = *median.efficiency * *point.computation_scaling;
  }
}

/// Such runs beside their own time would compare nothing: it shows only what was lost or stolen in them.
bool are_all_of(const RunsByRanks& runs, const SequentialRuns& alone, const Setting& setting) {
  return runs.size() == 1 && !alone.runs.empty() && alone.runs.front().setting == setting;
}

SettingStudy setting_study(const Setting& setting, const Groups& groups, const StudyRequest& request) {
  const RunsByRanks& runs = groups.at(setting);
  SequentialTimes sequential = request.sequential;
  SequentialRuns alone;
  if (!sequential.relative_s) alone = sequential_runs(groups, setting);
  const bool is_compared = !are_all_of(runs, alone, setting);
  if (!alone.runs.empty() && is_compared) sequential.relative_s = alone.time_s();
  SettingStudy study;
  study.setting = setting;
  if (is_compared) study.sequential_source = request.sequential.relative_s ? "given" : alone.source;
  study.speeds = speed_basis(runs, alone.runs, groups, request.speeds);
  for (const auto& [ranks, of_ranks] : runs)
    study.points.push_back(point_of(of_ranks, sequential, study.speeds));
  add_scaling(study.points);
  study.notes = notes_of(study, alone);
  if (is_compared) study.sequential = std::move(alone);
  return study;
}

/// A sequential time is of one problem.
void require_one_problem(const Groups& groups, const SequentialTimes& given) {
  if (groups.size() > 1 && (given.absolute_s || given.real_s || given.relative_s))
    throw UsageError(fmt::format("one sequential time is given for {} settings", groups.size()),
                     "it is the time of one problem", "give the files of one setting at a time");
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

double SequentialRuns::time_s() const {
  return median_over(runs, [](const SourcedRun& run) { return run.times.run_s; });
}

double SequentialRuns::stolen_share() const {
  return median_over(runs, [](const SourcedRun& run) { return *figures_of(run.times).stolen; });
}

SequentialRuns sequential_runs(const Groups& groups, const Setting& setting) {
  const RunsByRanks& own = groups.at(setting);
  const auto is_undisturbed = [&](const Setting& other, const SourcedRun&) {
    return !is_loaded(other) && has_same(experiment_option, other, setting);
  };
  const auto is_of_another_experiment = [&](const Setting& other, const SourcedRun& run) {
    return !is_loaded(other) && option_of(other, experiment_option) != nullptr && fits_a_run_of(own, run);
  };
  const auto is_disturbed_alike = [&](const Setting& other, const SourcedRun&) {
    return has_same(load_option, other, setting) && has_same(experiment_option, other, setting);
  };
  SequentialRuns found = found_where(groups, setting, is_undisturbed);
  if (found.runs.empty() && option_of(setting, experiment_option) != nullptr)
    found = found_where(groups, setting, is_of_another_experiment);
  return found.runs.empty() ? found_where(groups, setting, is_disturbed_alike) : found;
}

void require_fitting(const SpeedRequest& request, const Groups& groups) {
  if (groups.empty()) return;
  const RunTimes& largest = largest_run(groups);
  if (!request.given.empty() && request.given.size() != largest.ranks.size())
    throw UsageError(
        "--speeds has " + count_text(static_cast<Index>(request.given.size()), "speed", "speeds"),
        "the largest run has " + count_text(static_cast<Index>(largest.ranks.size()), "rank", "ranks"),
        "give one for each of its ranks");
  if (!request.reference_rank || place_of(largest, *request.reference_rank)) return;
  const int first = largest.ranks.front().rank, last = largest.ranks.back().rank;
  throw UsageError(fmt::format("there is no rank {}", *request.reference_rank),
                   first == last ? fmt::format("the only one is {}", first)
                                 : fmt::format("the ranks of the largest run are {} to {}", first, last),
                   "name another as the reference");
}

SpeedBasis speed_basis(const RunsByRanks& runs, const std::vector<SourcedRun>& alone, const Groups& groups,
                       const SpeedRequest& request) {
  if (!request.given.empty()) return given_basis(groups, request);
  SpeedBasis basis;
  basis.is_unequal = are_unequal(all_quotas(runs, alone));
  if (basis.is_unequal)
    basis.source = SpeedSource::quota;
  else if (tells_speeds(runs))
    basis.source = SpeedSource::measured;
  if (!basis.source) return basis;
  const bool is_named = request.reference_rank.has_value();
  basis.reference =
      median_speed(is_named ? runs.rbegin()->second : alone, request.reference_rank, *basis.source);
  return basis;
}

Knowledge knowledge_of(const SpeedBasis& basis, std::size_t ranks) {
  Knowledge knowledge;
  knowledge.speed_source = basis.source.value_or(SpeedSource::measured);
  knowledge.reference_speed = basis.reference;
  const std::size_t count = std::min(ranks, basis.given.size());
  knowledge.given_speeds.assign(basis.given.begin(),
                                basis.given.begin() + static_cast<std::ptrdiff_t>(count));
  return knowledge;
}

const Point* Study::only_point() const {
  if (settings.size() != 1 || settings.front().points.size() != 1) return nullptr;
  return &settings.front().points.front();
}

Study study_of(std::vector<Source> sources, const StudyRequest& request) {
  Study study;
  const Groups groups = grouped(std::move(sources), study.notes);
  require_one_problem(groups, request.sequential);
  require_fitting(request.speeds, groups);
  for (const auto& [setting, runs] : groups)
    study.settings.push_back(setting_study(setting, groups, request));
  add_profiles_note(study);
  if (request.kept_efficiency)
    study.isoefficiency = isoefficiency_of(study.settings, *request.kept_efficiency);
  return study;
}

}  // namespace loadshare::granularity
