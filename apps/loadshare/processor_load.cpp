#include "apps/loadshare/processor_load.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

namespace loadshare::tool {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr auto watch = std::chrono::milliseconds(200);
constexpr double least_cores = 0.1;
constexpr std::size_t most_processes = 3;

std::string first_line(const fs::path& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

LoadSample sample() {
  LoadSample taken = parse_processor_times(first_line("/proc/stat"));
  std::error_code gone;  // processes end while we look
  for (const auto& entry : fs::directory_iterator("/proc", gone)) {
    const std::string name = entry.path().filename().string();
    int pid = 0;
    if (std::from_chars(name.data(), name.data() + name.size(), pid).ec != std::errc{}) continue;
    if (const std::string line = first_line(entry.path() / "stat"); !line.empty())
      taken.processes[pid] = parse_process_times(line);
  }
  return taken;
}

std::vector<BusyProcess> busiest(const LoadSample& before, const LoadSample& after, double ticks,
                                 int own_pid) {
  std::vector<BusyProcess> busy;
  for (const auto& [pid, process] : after.processes) {
    const auto earlier = before.processes.find(pid);
    if (pid == own_pid || earlier == before.processes.end()) continue;
    const double cores = (process.ticks - earlier->second.ticks) / ticks;
    if (cores >= least_cores) busy.push_back({pid, process.name, cores});
  }
  std::sort(busy.begin(), busy.end(), [](const auto& a, const auto& b) { return a.cores > b.cores; });
  if (busy.size() > most_processes) busy.resize(most_processes);
  return busy;
}

}  // namespace

LoadSample parse_processor_times(std::string_view line) {
  std::istringstream words{std::string(line)};
  std::string label;
  words >> label;
  enum { user, nice, system, idle, io_wait, irq, soft_irq, steal, count };
  std::array<double, count> times{};
  for (double& time : times) words >> time;
  LoadSample taken;
  taken.busy_ticks = times[user] + times[nice] + times[system] + times[irq] + times[soft_irq];
  taken.stolen_ticks = times[steal];
  return taken;
}

LoadSample::Process parse_process_times(std::string_view line) {
  const std::size_t open = line.find('(');
  const std::size_t close = line.rfind(')');
  if (open == std::string_view::npos || close == std::string_view::npos) return {};
  std::istringstream words{std::string(line.substr(close + 1))};
  std::string skipped;
  for (int field = 3; field < 14; ++field) words >> skipped;  // utime and stime are fields 14 and 15
  double user = 0;
  double system = 0;
  words >> user >> system;
  return {std::string(line.substr(open + 1, close - open - 1)), user + system};
}

ProcessorLoad load_between(const LoadSample& before, const LoadSample& after, double ticks, int own_pid) {
  ProcessorLoad load;
  if (ticks <= 0) return load;
  load.busy_cores = std::max(0.0, (after.busy_ticks - before.busy_ticks) / ticks);
  load.stolen_cores = std::max(0.0, (after.stolen_ticks - before.stolen_ticks) / ticks);
  load.processes = busiest(before, after, ticks, own_pid);
  return load;
}

ProcessorLoad measure_load() {
  const auto begun = Clock::now();
  const LoadSample before = sample();
  std::this_thread::sleep_for(watch);
  const std::chrono::duration<double> passed = Clock::now() - begun;
  const LoadSample after = sample();
  const double ticks = passed.count() * static_cast<double>(sysconf(_SC_CLK_TCK));
  ProcessorLoad load = load_between(before, after, ticks, getpid());
  std::ifstream("/proc/loadavg") >> load.load_average;
  return load;
}

}  // namespace loadshare::tool
