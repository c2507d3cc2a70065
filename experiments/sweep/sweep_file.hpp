#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "experiments/sweep/spec.hpp"
#include "experiments/yaml/document.hpp"

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

/// Understands a sweep file (format: experiments/sweep.schema.json). Throws UsageError as
/// `file:line:column: problem (why) suggestion` for whatever can be known without running anything.
SweepSpec read_sweep(const yaml::Value& file, Setting setting);

}  // namespace loadshare::sweep
