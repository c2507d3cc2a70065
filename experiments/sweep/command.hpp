#pragma once

#include <string>
#include <vector>

#include "experiments/sweep/load.hpp"
#include "experiments/sweep/spec.hpp"

namespace loadshare::sweep {

/// The words of a command line, the program first.
using Words = std::vector<std::string>;

/// What an experiment's command lines begin with, found out once.
struct Starter {
  std::string program;  ///< its path
  std::string tool;     ///< the path of `loadshare` itself
  std::string lab;      ///< the lab's name, where the experiment runs in one
};

/// The command of a run, as a person could type it: without what the sweep adds to get the record.
Words command_of(const Experiment& experiment, const Point& point, const std::optional<RunLoad>& load,
                 const Starter& starter);

/// The same as one line for a shell.
std::string shell_line(const Words& words);

}  // namespace loadshare::sweep
