#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/types.hpp"

namespace loadshare::sweep {

/// A value of an option or an axis, as it is written.
struct Scalar {
  enum class Form { text, flag };

  std::string text;        ///< "true" or "false" for a flag
  Form form = Form::text;  ///< a true flag becomes a bare option, a false one is left out
  bool is_quoted = false;  ///< stays text in JSON even if it looks like a number

  bool is_flag() const { return form == Form::flag; }
  bool operator==(const Scalar& other) const { return text == other.text; }
};

/// Options of a program by name, without the dashes, in command-line order.
using Options = std::vector<std::pair<std::string, Scalar>>;

enum class LaunchKind { in_process, mpirun, srun, lab };

/// How a run is started.
struct Launch {
  LaunchKind with = LaunchKind::in_process;
  std::string lab_file;                ///< of the network of workstations, relative to the current folder
  std::string lab_place;               ///< its `file:line:column: `, for errors
  std::optional<Index> ranks;          ///< default in a lab: one per host
  std::string ranks_place;             ///< their `file:line:column: `, for errors
  std::optional<Index> workers;        ///< default in-process: the program's own
  std::vector<std::string> arguments;  ///< for mpirun or srun
  double timeout_s = 600;
};

/// The largest accepted probability of a wrong verdict. With a stop rule it holds for all of its checks
/// together.
inline constexpr double most_error = 0.05;

/// How often each point runs: `at_least` times, then until the interval of the median is within `within` of
/// it, at most `at_most` times.
struct Repeat {
  Index at_least = 10;
  Index at_most = 10;
  double within = 0;  ///< a share of the median; 0 if there is no stop rule, then `at_least` equals `at_most`

  bool is_fixed() const { return at_least == at_most; }
};

/// The margin if a sweep file gives none.
inline constexpr double default_equal_within = 0.03;

/// One parameter that is varied. Axes of the same `walk` vary together (`zip:`); those of different walks are
/// crossed.
struct Axis {
  std::string name;
  std::vector<Scalar> values;
  int walk = 0;
};

/// Values by axis.
using Parameters = std::map<std::string, Scalar>;

/// One setting that is measured.
struct Point {
  std::string id;  ///< `fig3a/master=works/scheduler=gss:14`, axes in alphabetical order
  Parameters parameters;
};

struct Experiment {
  std::string name;
  std::string title;
  std::string program;        ///< as written
  std::string program_place;  ///< its `file:line:column: `, for errors
  Launch launch;
  Options options;
  std::map<std::string, std::string> places;  ///< `file:line:column: ` of each option and axis, for errors
  std::optional<Scalar> load;
  Repeat repeat;
  double equal_within = default_equal_within;  ///< times that differ by less count as equal
  std::vector<Axis> axes;
  std::optional<std::string> compare;  ///< the axis whose values are compared
  std::optional<Scalar> baseline;      ///< its value that the others are compared with
  std::vector<Point> points;
};

enum class Setting { full, reduced };

/// The content of a sweep file.
struct SweepSpec {
  std::string source;  ///< the file's path
  std::string title;
  std::uint64_t seed = 1;
  Setting setting = Setting::full;
  std::vector<Experiment> experiments;
};

// Axes that are not options of the program.
inline constexpr const char* load_axis = "load";
inline constexpr const char* ranks_axis = "ranks";

}  // namespace loadshare::sweep
