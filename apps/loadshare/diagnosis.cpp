#include "apps/loadshare/diagnosis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "apps/loadshare/rank_findings.hpp"
#include "runtime/timing/wording.hpp"

namespace loadshare::tool {
namespace {

/// Work of others below this many processors is the usual background of a quiet machine.
constexpr double quiet_cores = 0.15;
/// One clock tick in the 200 ms of watching is 0.05 and may be chance.
constexpr double little_stolen_cores = 0.08;
/// Room for the first matrix of a product of size 8192 in double precision.
constexpr std::uint64_t enough_shared_memory = std::uint64_t{512} << 20;

MaybeFinding blas_threads(const Surroundings& seen) {
  if (!seen.blas_variable)
    return Finding{Level::ok, "BLAS threads", "not set", "matmul takes one a worker by itself",
                   "another program with a BLAS needs OPENBLAS_NUM_THREADS=1"};
  int threads = 0;
  const std::string& text = seen.blas_threads;
  const bool is_number = std::from_chars(text.data(), text.data() + text.size(), threads).ec == std::errc{};
  const int ranks = std::max(1, seen.ranks.ranks_here);
  const std::string finding = fmt::format("{}={}", *seen.blas_variable, text);
  if (is_number && threads * static_cast<double>(ranks) > capacity(seen))
    return Finding{Level::warn, "BLAS threads", finding,
                   fmt::format("{} of {} threads crowd {}", count_text(ranks, "rank", "ranks"), threads,
                               capacity_text(seen)),
                   "matmul takes one a worker by itself, another program needs OPENBLAS_NUM_THREADS=1"};
  return Finding{Level::ok, "BLAS threads", finding, "matmul takes one a worker by itself", ""};
}

MaybeFinding shared_memory(const Surroundings& seen) {
  if (!seen.shared_memory_bytes)
    return Finding{Level::warn, "shared memory", "there is no /dev/shm",
                   "the ranks of a host share the first matrix there", "mount a tmpfs at /dev/shm"};
  const double mebibytes = std::floor(static_cast<double>(*seen.shared_memory_bytes) / (1 << 20));
  const std::string finding = mebibytes < 10'240
                                  ? fmt::format("{} MiB free in /dev/shm", mebibytes)
                                  : fmt::format("{:.0f} GiB free in /dev/shm", mebibytes / 1024);
  if (*seen.shared_memory_bytes < enough_shared_memory)
    return Finding{Level::warn, "shared memory", finding, "the ranks of a host share the first matrix there",
                   "give it more: mount -o remount,size=4G /dev/shm, or --shm-size for a container"};
  return Finding{Level::ok, "shared memory", finding, "", ""};
}

std::string busy_text(const ProcessorLoad& load) {
  std::string text = fmt::format("{:.1f} busy with other programs", load.busy_cores);
  for (const BusyProcess& process : load.processes)
    text += fmt::format(", {} (process {}) {:.1f}", process.name, process.pid, process.cores);
  return text;
}

MaybeFinding other_programs(const Surroundings& seen) {
  const double wanted = seen.ranks.ranks_here > 0 ? seen.ranks.ranks_here : capacity(seen);
  const double left = seen.machine_cpus - seen.load.busy_cores;
  const std::string finding = fmt::format("of {} {}", processors(seen.machine_cpus), busy_text(seen.load));
  if (seen.load.busy_cores > quiet_cores && left < wanted)
    return Finding{Level::warn, "other programs", finding, "the run shares processors with them",
                   "wait for them, or take an adaptive scheduler or small chunks"};
  return Finding{Level::ok, "other programs", finding,
                 fmt::format("load average {:.2f}", seen.load.load_average), ""};
}

MaybeFinding virtualisation(const Surroundings& seen) {
  if (seen.load.stolen_cores > little_stolen_cores)
    return Finding{Level::warn, "virtual machine",
                   fmt::format("the hypervisor keeps {:.2f} processors", seen.load.stolen_cores),
                   "its other guests slow this one down", "measure more than once"};
  if (!seen.is_virtual) return std::nullopt;
  return Finding{Level::ok, "virtual machine", "nothing is stolen by its neighbours at the moment", "", ""};
}

MaybeFinding frequency(const Surroundings& seen) {
  if (!seen.governor) return std::nullopt;
  if (*seen.governor == "powersave")
    return Finding{Level::warn, "frequency", "the governor is powersave",
                   "processors stay at their lowest frequency", "cpupower frequency-set -g performance"};
  return Finding{Level::ok, "frequency", fmt::format("the governor is {}", *seen.governor), "", ""};
}

MaybeFinding huge_pages(const Surroundings& seen) {
  if (!seen.huge_pages) return std::nullopt;
  if (*seen.huge_pages == "never")
    return Finding{Level::warn, "huge pages", "never", "large matrices then cost more address translations",
                   "echo madvise > /sys/kernel/mm/transparent_hugepage/enabled"};
  return Finding{Level::ok, "huge pages", *seen.huge_pages, "", ""};
}

MaybeFinding root(const Surroundings& seen) {
  if (!seen.is_root) return std::nullopt;
  if (seen.may_mpirun_as_root) return Finding{Level::ok, "root", "mpirun is allowed to run as root", "", ""};
  return Finding{Level::warn, "root", "mpirun refuses to run as root", "Open MPI's default",
                 "set OMPI_ALLOW_RUN_AS_ROOT=1 and OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1, or be somebody else"};
}

}  // namespace

std::vector<Finding> diagnose(const Surroundings& seen) {
  std::vector<Finding> findings;
  for (const auto look : {cores_finding, binding_finding, blas_threads, waiting_finding, shared_memory,
                          other_programs, virtualisation, frequency, huge_pages, root})
    if (auto finding = look(seen)) findings.push_back(std::move(*finding));
  return findings;
}

bool has_warning(const std::vector<Finding>& findings) {
  return std::any_of(findings.begin(), findings.end(),
                     [](const Finding& finding) { return finding.level == Level::warn; });
}

std::string line_of(const Finding& finding) {
  std::string line =
      fmt::format("{:<4}  {}: {}", finding.level == Level::ok ? "ok" : "warn", finding.what, finding.finding);
  if (!finding.why.empty()) line += fmt::format(" ({})", finding.why);
  if (!finding.advice.empty() && finding.level != Level::ok) line += fmt::format(" {}", finding.advice);
  return line;
}

}  // namespace loadshare::tool
