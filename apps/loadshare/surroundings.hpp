#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace loadshare::tool {

/// A process that used processors while we watched.
struct BusyProcess {
  int pid = 0;
  std::string name;
  double cores = 0;
};

/// What the machine's processors did while we watched and did nothing.
struct ProcessorLoad {
  double busy_cores = 0;    ///< processors at work for anybody
  double stolen_cores = 0;  ///< processors that the hypervisor kept for itself
  double load_average = 0;  ///< of the last minute
  std::vector<BusyProcess>
      processes;  ///< the busiest first, at most three, none below a tenth of a processor
};

/// The kernel's counters at one instant, in clock ticks.
struct LoadSample {
  double busy_ticks = 0;
  double stolen_ticks = 0;
  struct Process {
    std::string name;
    double ticks = 0;
  };
  std::map<int, Process> processes;
};

/// Reads the first line of /proc/stat into a sample without processes.
LoadSample parse_processor_times(std::string_view line);

/// Reads /proc/PID/stat; the name may hold blanks and parentheses.
LoadSample::Process parse_process_times(std::string_view line);

/// What happened between two samples that lie `ticks` clock ticks apart; `own_pid` is left out.
ProcessorLoad load_between(const LoadSample& before, const LoadSample& after, double ticks, int own_pid);

/// Watches for 200 ms, asleep.
ProcessorLoad measure_load();

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

/// Which of its kernels OpenBLAS runs here, and what that costs.
struct BlasKernels {
  std::string version;                ///< "OpenBLAS 0.3.21"
  std::string core;                   ///< "SkylakeX"
  std::string processor;              ///< its name; empty: it has none
  std::optional<std::string> asked;   ///< what OPENBLAS_CORETYPE says
  std::optional<std::string> lacked;  ///< an instruction that these kernels need and the processor has not
  std::optional<std::string> better;  ///< a core type of wider vectors, which this processor can run
  double gflops = 0;                  ///< of one core, where there is a better one
  double better_gflops = 0;           ///< what it gives then
};

/// A program in PATH that starts ranks.
struct Launcher {
  std::string name;     ///< "mpirun"
  std::string version;  ///< the first line that `--version` prints: "mpirun (Open MPI) 4.1.4"
};

/// What a run would find on this host, as far as it can be seen from here. Numbers only: what they mean is
/// for diagnose() to say.
struct Surroundings {
  std::string host;
  int machine_cpus = 1;             ///< processors of the machine (hardware threads)
  std::vector<int> allowed_cpus;    ///< where this process may run
  int physical_cores = 0;           ///< cores behind the usable processors; 0: not known
  std::optional<double> cpu_quota;  ///< processors' worth of time that the cgroup grants
  RankEnvironment ranks;            ///< what mpirun or srun told this process
  std::vector<RankPlace> places;    ///< this host's ranks, as far as seen; empty without mpirun
  std::string mpi_library;          ///< to which programs here are linked: "Open MPI v4.1.4"; empty: none
  std::vector<Launcher> launchers;  ///< those in PATH
  std::optional<std::string>
      blas_variable;                ///< the one that OpenBLAS obeys, where one is set: "OMP_NUM_THREADS"
  std::string blas_threads;         ///< its value
  std::optional<BlasKernels> blas;  ///< nothing: there is no OpenBLAS
  std::optional<std::uint64_t> shared_memory_bytes;  ///< free in /dev/shm; nothing: there is none
  ProcessorLoad load;
  std::optional<std::string> governor;    ///< of the first processor's frequency
  std::optional<std::string> huge_pages;  ///< "always", "madvise" or "never"
  bool is_virtual = false;
  bool is_root = false;
  bool may_mpirun_as_root = false;  ///< both of Open MPI's variables are set
};

/// Looks around; takes about a quarter of a second (half a one where OpenBLAS runs slow kernels), up to a
/// second longer while ranks are still starting.
Surroundings look_around(const RankEnvironment& ranks);

}  // namespace loadshare::tool
