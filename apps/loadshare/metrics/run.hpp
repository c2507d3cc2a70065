#pragma once

#include <map>
#include <string>
#include <vector>

#include "models/granularity/times.hpp"
#include "models/waiting/losses.hpp"
#include "runtime/timing/records.hpp"

namespace loadshare::tool {

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

/// One run as a file tells it.
struct SourcedRun {
  granularity::RunTimes times;  ///< its notes tell what makes it partial
  Setting setting;
  std::string place;         ///< "runs.jsonl:3"
  std::string version;       ///< of the program that made it; empty: not known
  bool is_right = true;      ///< else its result was found wrong
  bool has_ended = true;     ///< else it was cut short, and its times are less than those of its problem
  bool repeats_work = true;  ///< else each run measures anew how much it computes
  std::vector<waiting::Loss>
      losses;  ///< where the time inside MPI went; empty where only a profile could tell
  std::vector<std::string> remarks;  ///< what a reader has to know of a run that is whole
};

}  // namespace loadshare::tool
