#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/types.hpp"

namespace loadshare::sweep {

/// A value of an option or an axis, as it was written.
struct Scalar {
  enum class Form { text, flag };

  std::string text;        ///< of a flag "true" or "false"
  Form form = Form::text;  ///< a flag that is true is a bare option, one that is false is left out
  bool is_quoted = false;  ///< stays text in JSON, also where it looks like a number

  bool is_flag() const { return form == Form::flag; }
  bool operator==(const Scalar& other) const { return text == other.text; }
};

/// Options of a program by name without the dashes, in the order of the command line.
using Options = std::vector<std::pair<std::string, Scalar>>;

enum class LaunchKind { in_process, mpirun, srun, lab };

/// How a run is started.
struct Launch {
  LaunchKind with = LaunchKind::in_process;
  std::string lab_file;                ///< of the network of workstations, from where the tool stands
  std::string lab_place;               ///< `file:line:column: ` of it, for errors
  std::optional<Index> ranks;          ///< in a lab, where not given: one a host
  std::string ranks_place;             ///< `file:line:column: ` of them, for errors
  std::optional<Index> workers;        ///< in-process, where not given: the program's own default
  std::vector<std::string> arguments;  ///< of mpirun or srun
  double timeout_s = 600;
};

/// The share of cases in which what is said may be wrong: 0.05, where the number of runs is given, for all
/// looks at them together where they decide how many there are.
inline constexpr double most_error = 0.05;

/// How often each point runs: `at_least` times, then on until the interval of the median lies within `within`
/// of it, but not more than `at_most` times.
struct Repeat {
  Index at_least = 10;
  Index at_most = 10;
  double within = 0;  ///< a share of the median; 0: no such rule, `at_least` and `at_most` are equal

  bool is_fixed() const { return at_least == at_most; }
};

/// Where a sweep file does not say it.
inline constexpr double default_equal_within = 0.03;

/// One thing that is varied. Axes of one `walk` go hand in hand (`zip:`), those of different ones are
/// crossed.
struct Axis {
  std::string name;
  std::vector<Scalar> values;
  int walk = 0;
};

/// Values by axis.
using Parameters = std::map<std::string, Scalar>;

/// One setting to be measured.
struct Point {
  std::string id;  ///< `fig3a/master=works/scheduler=gss:14`, the axes by name
  Parameters parameters;
};

struct Experiment {
  std::string name;
  std::string title;
  std::string program;        ///< as written
  std::string program_place;  ///< `file:line:column: ` of it, for errors
  Launch launch;
  Options options;
  std::map<std::string, std::string> places;  ///< `file:line:column: ` of each option and axis, for errors
  std::optional<Scalar> load;
  Repeat repeat;
  double equal_within = default_equal_within;  ///< times that differ by less are called equal
  std::vector<Axis> axes;
  std::optional<std::string> compare;  ///< the axis whose values are compared
  std::optional<Scalar> baseline;      ///< the value of it that the others are compared with
  std::vector<Point> points;
};

enum class Setting { full, reduced };

/// A whole sweep file, understood.
struct SweepSpec {
  std::string source;  ///< the file's path
  std::string title;
  std::uint64_t seed = 1;
  Setting setting = Setting::full;
  std::vector<Experiment> experiments;
};

// Axes that are no options of the program.
inline constexpr const char* load_axis = "load";
inline constexpr const char* ranks_axis = "ranks";

}  // namespace loadshare::sweep
