#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "experiments/sweep/spec.hpp"
#include "experiments/yaml/document.hpp"
#include "schedulers/table.hpp"

namespace loadshare::sweep {

/// Maps laid over each other, the last on top: a sweep file's own keys, an experiment's, and where asked for
/// the `reduced:` ones of both.
class Layers {
 public:
  void lay(yaml::Map map) { maps_.push_back(std::move(map)); }

  /// The topmost value of a key.
  std::optional<yaml::Value> find(const std::string& key);
  /// A key whose values are maps: all of their keys, each with its topmost value, the lowest layer's first.
  std::vector<std::pair<std::string, yaml::Value>> merged(const std::string& key);

 private:
  std::vector<yaml::Map> maps_;
};

/// "mpirun", "in-process" ...
std::string launch_name(LaunchKind kind);

/// More ranks or workers than any run is started with.
inline constexpr Index most_launched = 1'000'000;

/// A scalar of a file as an option's value; throws UsageError where it is no scalar or empty.
Scalar read_scalar(const yaml::Value& value);

/// `file:line:column: ` of a value, to put in front of an error that is found later.
std::string place_of(const yaml::Value& value);

/// Throws UsageError where `name` cannot be an option, or is one that the sweep sets itself.
void require_option_name(const yaml::Value& value, const std::string& name);

/// Throws UsageError where the value of this option can be known to be wrong for `program`; `schedulers` are
/// those of our own ones.
void check_option(const yaml::Value& value, const std::string& name, const std::string& program,
                  const SchedulerTable& schedulers);

/// Reads program, launch, options, load, repeat and margin of all runs into `experiment`; what is missing is
/// reported at `place`.
void read_settings(Layers& layers, const yaml::Value& place, const SchedulerTable& schedulers,
                   Experiment& experiment);

}  // namespace loadshare::sweep
