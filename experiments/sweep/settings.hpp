#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "experiments/sweep/spec.hpp"
#include "experiments/yaml/document.hpp"
#include "schedulers/table.hpp"

namespace loadshare::sweep {

/// Maps in layers, the last on top: a sweep file's own keys, an experiment's, and on request the `reduced:`
/// keys of both.
class Layers {
 public:
  void lay(yaml::Map map) { maps_.push_back(std::move(map)); }

  /// Returns the topmost value of a key.
  std::optional<yaml::Value> find(const std::string& key);
  /// Merges the maps of a key: returns all their keys, each with its topmost value, in the order of the
  /// lowest layer.
  std::vector<std::pair<std::string, yaml::Value>> merged(const std::string& key);

 private:
  std::vector<yaml::Map> maps_;
};

/// Returns "mpirun", "in-process" ...
std::string launch_name(LaunchKind kind);

/// Upper limit of the ranks or workers of a run.
inline constexpr Index most_launched = 1'000'000;

/// Returns a scalar of a file as an option's value. Throws UsageError if it is empty or not a scalar.
Scalar read_scalar(const yaml::Value& value);

/// Returns `file:line:column: ` of a value, the start of an error that is found later.
std::string place_of(const yaml::Value& value);

/// Throws UsageError if `name` cannot be an option, or if the sweep sets that option itself.
void require_option_name(const yaml::Value& value, const std::string& name);

/// Throws UsageError if the value of this option is wrong for `program`, as far as that is known without
/// running it. `schedulers` are those of the project's own programs.
void check_option(const yaml::Value& value, const std::string& name, const std::string& program,
                  const SchedulerTable& schedulers);

/// Reads program, launch, options, load, repeat and margin of all runs into `experiment`. Reports a missing
/// key at `place`.
void read_settings(Layers& layers, const yaml::Value& place, const SchedulerTable& schedulers,
                   Experiment& experiment);

}  // namespace loadshare::sweep
