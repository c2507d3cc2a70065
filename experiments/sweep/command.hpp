#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/io/process.hpp"
#include "experiments/sweep/points.hpp"
#include "experiments/sweep/spec.hpp"

namespace loadshare::sweep {

/// Returns a program's path. A name with a slash is relative to `folder`; other names are looked up in the
/// tool's own folder, then in PATH.
std::optional<std::string> find_program(const std::string& name, const std::string& folder);

/// Whether it is one of this project's programs. Those take the built-in schedulers, and their `--help` lists
/// all options.
bool is_own_program(const std::string& program);

/// Returns the options that a program's `--help` lists, without the dashes; empty if it lists none.
std::vector<std::string> listed_options(const std::string& path);

/// The programs that an experiment's command lines start with, looked up once.
struct Starter {
  std::string program;  ///< its path
  std::string tool;     ///< the path of `loadshare` itself
  std::string lab;      ///< the lab's name if the experiment runs in one, otherwise empty
};

/// Returns the command of a run as a person could type it, without the options that the sweep adds to get the
/// record.
Words command_of(const Experiment& experiment, const Point& point, const std::optional<RunLoad>& load,
                 const Starter& starter);

/// Returns how many ranks that command starts; nothing if it starts none or the launcher decides.
std::optional<Index> ranks_of(const Experiment& experiment, const Point& point);

}  // namespace loadshare::sweep
