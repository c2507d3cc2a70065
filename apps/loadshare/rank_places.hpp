#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace loadshare::tool {

/// What mpirun or srun told this process in its environment.
struct RankEnvironment {
  int ranks = 0;                        ///< of the whole run; 0: started without mpirun
  int ranks_here = 0;                   ///< on this host; 0: not told
  int local_rank = 0;                   ///< this process's number on its host
  bool knows_oversubscription = false;  ///< mpirun counted more ranks than slots, so that ranks yield
  std::string job;                      ///< the name that all ranks of this run share; empty: none

  bool is_under_mpirun() const { return ranks > 0; }
};

/// Where one rank may run.
struct RankPlace {
  int rank = 0;
  std::vector<int> cpus;
};

RankEnvironment rank_environment();

/// Where a process may run, ascending; `process` is its number or "self". Empty where it is gone.
std::vector<int> allowed_cpus_of(const std::string& process);

/// Finds this host's ranks of `job` among the running processes and where each may run, by rank. Waits up to
/// a second for `expected` of them. The ranks need not talk for this, so that it works without starting MPI.
std::vector<RankPlace> find_rank_places(const std::string& job, int expected);

/// Stays until the first rank of the host has surely seen this one.
void stay_to_be_seen();

/// Reads the kernel's list form `0-3,8`; what is no number is skipped.
std::vector<int> parse_cpu_list(std::string_view text);

/// The variables of an environment block, as /proc/PID/environ has it: NAME=value, NUL between.
std::map<std::string, std::string, std::less<>> parse_environment(std::string_view block);

}  // namespace loadshare::tool
