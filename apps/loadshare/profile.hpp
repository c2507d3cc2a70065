#pragma once

#include <map>
#include <string>
#include <vector>

namespace loadshare::tool {

/// A command, and what it needs in its environment.
struct ProfiledCommand {
  std::vector<std::string> words;
  std::map<std::string, std::string> environment;  ///< of the command itself
};

/// The command with what makes its MPI ranks write a profile: `variables` go to the ranks by `-x` where
/// mpirun is among its words (behind `loadshare lab run --`, say, and once for each of the programs that `:`
/// separates), and else by the command's own environment. The user's own `-x LD_PRELOAD=...` comes behind
/// ours in the same word; a bare `-x LD_PRELOAD` means this process's own, which `variables` have in theirs.
ProfiledCommand profiled(const std::vector<std::string>& words,
                         const std::map<std::string, std::string>& variables);

/// Whether ranks of the command may be on other hosts than this: it has an mpirun that is told hosts, by its
/// words or by a batch system.
bool may_run_elsewhere(const std::vector<std::string>& words);

}  // namespace loadshare::tool
