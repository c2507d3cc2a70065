#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/io/process.hpp"
#include "experiments/sweep/points.hpp"
#include "experiments/sweep/spec.hpp"

namespace loadshare::sweep {

/// Where a program is: with a slash in its name, from `folder` on; otherwise beside the tool, then in PATH.
std::optional<std::string> find_program(const std::string& name, const std::string& folder);

/// Whether it is one of this project's programs: its schedulers are the built-in ones, and `--help` lists all
/// of its options.
bool is_own_program(const std::string& program);

/// The options that a program's `--help` lists, without the dashes; empty where it lists none.
std::vector<std::string> listed_options(const std::string& path);

/// What an experiment's command lines begin with, found out once.
struct Starter {
  std::string program;  ///< its path
  std::string tool;     ///< the path of `loadshare` itself
  std::string lab;      ///< the lab's name, where the experiment runs in one
};

/// The command of a run, as a person could type it: without what the sweep adds to get the record.
Words command_of(const Experiment& experiment, const Point& point, const std::optional<RunLoad>& load,
                 const Starter& starter);

/// How many ranks that command starts; nothing: none, or the launcher decides.
std::optional<Index> ranks_of(const Experiment& experiment, const Point& point);

}  // namespace loadshare::sweep
