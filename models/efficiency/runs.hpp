#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/efficiency/granularity.hpp"
#include "models/efficiency/waiting/accounts.hpp"
#include "profiler/code_places.hpp"
#include "runtime/records/records.hpp"

namespace loadshare::granularity {

/// What a run was asked to do, whatever the number of its ranks: runs with the same setting may be compared.
struct Setting {
  std::string program;
  /// By name; without what follows from the number of ranks, and without what was measured.
  std::map<std::string, OptionValue> options;

  bool operator==(const Setting&) const = default;
  auto operator<=>(const Setting&) const = default;
};

/// Where these stand among a setting's options: the background load, the experiment of a sweep, that
/// waiting is counted as communicating, and who measured, where the program itself did not.
inline constexpr const char* load_option = "load";
inline constexpr const char* experiment_option = "experiment";
inline constexpr const char* idle_option = "idle";
inline constexpr const char* measured_by_option = "measured_by";
/// Ditto: that the figures are of what the program says counts.
inline constexpr const char* part_option = "part";

/// One run as a file tells it.
struct SourcedRun {
  RunTimes times;  ///< its notes tell what makes it partial
  Setting setting;
  std::string place;                ///< "runs.jsonl:3"
  std::optional<Index> repetition;  ///< of its point in a sweep
  std::string version;              ///< of the program that made it; empty: not known
  bool has_ended = true;          ///< else it was cut short, and its times are less than those of its problem
  bool repeats_work = true;       ///< else each run measures anew how much it computes
  std::optional<RunTimes> whole;  ///< where `times` are of what the program says counts: of all of it
  std::vector<waiting::Loss>
      losses;  ///< where the time inside MPI went; empty where only a profile could tell
  std::optional<waiting::Excess> excess;  ///< of the rank that computes longest; ditto
  std::map<std::string, profile::CodePlace>
      code;                                ///< the places that these two name, as far as they are known
  std::vector<std::string> remarks;        ///< what a reader has to know of a run that is whole
  std::map<std::string, std::string> mpi;  ///< see profile::Profile::mpi; empty: not told
};

/// Where a rank may run.
struct RankProcessors {
  std::string host;
  std::vector<int> cpus;  ///< empty: not known
};

/// A remark for each host whose ranks are more than the processors that they may use between them, or some of
/// whose ranks are bound to the same processors and more than those: as seen from each rank, the others of
/// its own run are other programs. `consequence` says what follows from that.
std::vector<std::string> remarks_on_shared_processors(
    const std::vector<RankProcessors>& ranks,
    std::string_view consequence = "what they take from each other counts as stolen");

/// What of a profile is asked for, and what is known beside it.
struct ProfileQuestion {
  waiting::Extent extent = waiting::Extent::counted;
  waiting::EagerLimits eager{};  ///< of the transports that it was made with
};

/// What a file tells: its runs, and what of it was left out.
struct Source {
  std::vector<SourcedRun> runs;
  std::vector<std::string> notes;
};

/// The runs of a file of run records (a line each, of one run or of many), of a folder that
/// `loadshare sweep` wrote, or of a profile, whose times are of the `extent` asked for where it tells both.
/// Runs that failed, and a last line that was not finished, are left out and noted. Throws UsageError, with
/// file and line, on everything else that is no sound record, and where nothing is left.
Source runs_of(const std::string& path, const ProfileQuestion& question = {});

}  // namespace loadshare::granularity
