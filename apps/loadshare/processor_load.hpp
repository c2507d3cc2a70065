#pragma once

#include <map>
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

}  // namespace loadshare::tool
