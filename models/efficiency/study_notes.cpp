#include "models/efficiency/study_notes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/io/text.hpp"

namespace loadshare::granularity {
namespace {

/// A run on one rank of which more was stolen is no good measure of the problem.
constexpr double stolen_to_tell = 0.01;

/// Notes of several runs once each, in the order of their first coming.
class RunNotes {
 public:
  explicit RunNotes(const Point& point) : names_places_(point.runs.size() > 1) {}

  void add(const SourcedRun& run, const std::string& note) {
    if (!told_.insert(note).second) return;
    notes_.push_back(names_places_ ? fmt::format("{}: {}", run.place, note) : note);
  }
  std::vector<std::string> take() { return std::move(notes_); }

 private:
  bool names_places_;
  std::set<std::string> told_;
  std::vector<std::string> notes_;
};

void add_idle_note(std::vector<std::string>& notes, const Point& point) {
  if (point.runs.front().times.tells_idle) return;
  notes.push_back("these runs do not distinguish idle from communicating time: both count as communicating");
}

/// Names the ranks without a known speed, where others have one: without it there are no figures for unequal
/// processors.
void add_speeds_note(std::vector<std::string>& notes, const Point& point) {
  std::set<int> without;
  bool has_some = false;
  for (const SourcedRun& run : point.runs) {
    const std::vector<int> ranks = ranks_without_speed(run.times);
    has_some = has_some || ranks.size() < run.times.ranks.size();
    without.insert(ranks.begin(), ranks.end());
  }
  if (!has_some || without.empty()) return;
  notes.push_back(
      fmt::format("the speed of {} {} cannot be measured, because some run has no work for it or does not "
                  "record it: virtual processors and E_H are missing (give --speeds)",
                  without.size() == 1 ? "rank" : "ranks", fmt::join(without, ", ")));
}

/// The hosts of a run as a person names them, each with how many of its ranks it had.
std::string hosts_text(const SourcedRun& run) {
  std::map<std::string, int> ranks_of;
  for (const RankTimes& rank : run.times.ranks) ++ranks_of[rank.host];
  std::vector<std::string> words;
  for (const auto& [host, ranks] : ranks_of)
    words.push_back(ranks == 1 ? host : fmt::format("{} ({} ranks)", host, ranks));
  constexpr std::size_t most_named = 4;
  if (words.size() > most_named) words.resize(most_named), words.emplace_back("...");
  return fmt::format("{}", fmt::join(words, ", "));
}

void add_mixed_hosts_note(std::vector<std::string>& notes, const Point& point) {
  const std::string first = hosts_text(point.runs.front());
  for (const SourcedRun& run : point.runs)
    if (const std::string other = hosts_text(run); other != first)
      return notes.push_back(fmt::format(
          "the runs are of different hosts, so their medians do not describe one machine: {} in {}, {} in {}",
          first, point.runs.front().place, other, run.place));
}

std::set<std::string> hosts_of_first_ranks(const std::vector<SourcedRun>& runs) {
  std::set<std::string> hosts;
  for (const SourcedRun& run : runs) hosts.insert(run.times.ranks.front().host);
  return hosts;
}

/// By quotas S_1 is that of the sequential runs' host, whichever it was; else nobody knows how fast that is.
void add_hosts_note(std::vector<std::string>& notes, const SettingStudy& study,
                    const SequentialRuns& sequential) {
  if (sequential.runs.empty() || study.points.back().processors() == 1) return;
  std::set<std::string> hosts = hosts_of_first_ranks(study.points.back().runs);
  const std::set<std::string> alone = hosts_of_first_ranks(sequential.runs);
  if (study.speeds.source == SpeedSource::quota || alone == hosts) return;
  notes.push_back(
      fmt::format("the sequential time is of {}, but rank 0 of the other runs is on {}: if these hosts are "
                  "unequal, the classical figures mix machines",
                  fmt::join(alone, ", "), fmt::join(hosts, ", ")));
}

void add_disturbed_note(std::vector<std::string>& notes, const SettingStudy& study,
                        const SequentialRuns& sequential) {
  const bool is_compared = study.points.back().processors() > 1 && !sequential.runs.empty();
  if (!is_compared || sequential.stolen_share() < stolen_to_tell) return;
  notes.push_back(
      fmt::format("other programs had {} of the time of the runs on 1 rank: the relative sequential time is "
                  "too long by that, and the classical efficiency too high",
                  percent_text(sequential.stolen_share())));
}

void add_cut_short_note(std::vector<std::string>& notes, const SettingStudy& study) {
  const Point& fewest = study.points.front();
  if (fewest.processors() != 1 || study.points.size() == 1 || !study.sequential_source.empty()) return;
  notes.push_back("the run on 1 rank was cut short, so it gives no sequential time");
}

void add_unequal_note(std::vector<std::string>& notes, const SettingStudy& study) {
  const Figures& most = study.points.back().spread.median;
  if (!study.speeds.is_unequal || !most.virtual_processors) return;
  notes.push_back(
      fmt::format("the processors are unequal ({}): {} of them equal {:.2f} like the reference, so use E_H "
                  "to compare with a sequential run",
                  study.speeds.source == SpeedSource::given ? "by the speeds given" : "by the hosts' quotas",
                  *most.processors, *most.virtual_processors));
}

/// A comparison that cannot fail says nothing.
void add_measured_note(std::vector<std::string>& notes, const SettingStudy& study) {
  const auto compares = [](const ClassicalFigures& kind) { return kind.efficiency_h.has_value(); };
  const Point& most = study.points.back();
  if (study.speeds.source != SpeedSource::measured || most.processors() == 1) return;
  if (std::ranges::none_of(most.spread.median.classical, compares)) return;
  notes.push_back(
      "the speeds are measured in the runs themselves, so E_H and its classical counterpart agree by "
      "construction, except for what the sequential run did not compute; compare them with given speeds or "
      "hosts' quotas only");
}

void add_comparability_notes(std::vector<std::string>& notes, const SettingStudy& study) {
  std::set<std::string> versions;
  std::size_t runs = 0;
  bool repeats = true;
  for (const Point& point : study.points)
    for (const SourcedRun& run : point.runs) {
      ++runs;
      repeats = repeats && run.repeats_work;
      if (!run.version.empty()) versions.insert(run.version);
    }
  if (runs > 1 && !repeats)
    notes.push_back(
        "each run measured the rounds per second again, so the runs do not compute quite the same: give the "
        "program --rounds-per-second");
  if (versions.size() > 1)
    notes.push_back(fmt::format("the runs are of different versions: {}", fmt::join(versions, ", ")));
}

}  // namespace

std::vector<std::string> notes_of(const Point& point, std::optional<SpeedSource> speeds) {
  RunNotes of_runs(point);
  for (const SourcedRun& run : point.runs) {
    for (const std::string& why : run.times.notes) of_runs.add(run, "partial: " + why);
    for (const std::string& remark : run.remarks) of_runs.add(run, remark);
  }
  std::vector<std::string> notes = of_runs.take();
  add_idle_note(notes, point);
  const bool needs_measured = !speeds || *speeds == SpeedSource::measured;
  if (needs_measured) add_speeds_note(notes, point);
  add_mixed_hosts_note(notes, point);
  return notes;
}

std::vector<std::string> notes_of(const SettingStudy& study, const SequentialRuns& sequential) {
  std::vector<std::string> notes;
  add_hosts_note(notes, study, sequential);
  add_disturbed_note(notes, study, sequential);
  add_cut_short_note(notes, study);
  add_unequal_note(notes, study);
  add_measured_note(notes, study);
  add_comparability_notes(notes, study);
  return notes;
}

void add_profiles_note(Study& study) {
  const auto is_profile = [](const SettingStudy& one) {
    return one.setting.options.contains(measured_by_option);
  };
  if (std::ranges::count_if(study.settings, is_profile) > 1)
    study.notes.emplace_back("profiles with equal command lines are combined");
}

}  // namespace loadshare::granularity
