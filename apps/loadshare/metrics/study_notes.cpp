#include "apps/loadshare/metrics/study_notes.hpp"

#include <fmt/format.h>

#include <cmath>
#include <set>

#include "runtime/timing/wording.hpp"

namespace loadshare::tool {
namespace {

using granularity::Figures;

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
  notes.push_back("these runs do not tell idle from communicating: both stand under communicating");
}

void add_hosts_note(std::vector<std::string>& notes, const SettingStudy& study) {
  const Point& fewest = study.points.front();
  if (fewest.processors() != 1 || study.points.size() == 1) return;
  std::set<std::string> alone, first;
  for (const SourcedRun& run : fewest.runs) alone.insert(run.times.ranks.front().host);
  for (const SourcedRun& run : study.points.back().runs) first.insert(run.times.ranks.front().host);
  if (alone == first) return;
  notes.push_back(
      fmt::format("the runs on 1 rank were on {}, rank 0 of the others is on {}: of unequal hosts the "
                  "classical figures need S_1 to be the former's speed",
                  fmt::join(alone, ", "), fmt::join(first, ", ")));
}

void add_disturbed_note(std::vector<std::string>& notes, const SettingStudy& study) {
  const bool is_compared = study.points.back().processors() > 1;
  if (!is_compared || study.sequential_stolen < stolen_to_tell) return;
  notes.push_back(
      fmt::format("{} of the time of the runs on 1 rank was stolen: the relative sequential time is too "
                  "long by that, and the classical efficiency too high",
                  percent_text(study.sequential_stolen)));
}

/// Where one processor counts so much more than another that E says little beside a sequential run.
void add_unequal_note(std::vector<std::string>& notes, const SettingStudy& study) {
  constexpr double unequal_from = 0.25;
  const Figures& most = study.points.back().spread.median;
  if (!most.virtual_processors) return;
  if (std::abs(*most.virtual_processors / *most.processors - 1) < unequal_from) return;
  notes.push_back(
      fmt::format("the processors are unequal: {} count as {:.2f} like the reference, so E_H is what "
                  "compares with a sequential run",
                  *most.processors, *most.virtual_processors));
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
        "each run measured anew how many rounds a second has, so they do not compute quite the same: "
        "--rounds-per-second of the program settles it");
  if (versions.size() > 1)
    notes.push_back(fmt::format("the runs are of different versions: {}", fmt::join(versions, ", ")));
}

}  // namespace

std::vector<std::string> notes_of(const Point& point) {
  RunNotes of_runs(point);
  for (const SourcedRun& run : point.runs) {
    for (const std::string& why : run.times.notes) of_runs.add(run, "partial: " + why);
    for (const std::string& remark : run.remarks) of_runs.add(run, remark);
  }
  std::vector<std::string> notes = of_runs.take();
  add_idle_note(notes, point);
  return notes;
}

std::vector<std::string> notes_of(const SettingStudy& study) {
  std::vector<std::string> notes;
  add_hosts_note(notes, study);
  add_disturbed_note(notes, study);
  add_unequal_note(notes, study);
  add_comparability_notes(notes, study);
  return notes;
}

std::string sequential_source(const std::vector<SourcedRun>& runs) {
  const bool is_loaded = runs.front().setting.options.contains(load_option);
  const char* under = is_loaded ? ", under the load" : "";
  if (runs.size() == 1) return fmt::format("the run on 1 rank{}, {}", under, runs.front().place);
  return fmt::format("the median of {} runs on 1 rank{}", runs.size(), under);
}

}  // namespace loadshare::tool
