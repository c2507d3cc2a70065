#include "apps/loadshare/surroundings.hpp"

#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <set>

#include "runtime/host/cgroup_quota.hpp"

namespace loadshare::tool {
namespace {

std::optional<std::string> first_word(const std::string& path) {
  std::ifstream file(path);
  std::string word;
  return file >> word ? std::optional(word) : std::nullopt;
}

std::string host_name() {
  std::array<char, 256> name{};
  gethostname(name.data(), name.size() - 1);
  return name.data();
}

/// The processors that this host's ranks may use together, or this process alone.
std::set<int> usable_cpus(const Surroundings& seen) {
  std::set<int> cpus(seen.allowed_cpus.begin(), seen.allowed_cpus.end());
  for (const RankPlace& place : seen.places) cpus.insert(place.cpus.begin(), place.cpus.end());
  return cpus;
}

/// Cores behind the processors: hardware threads of one core show the same list of siblings.
int count_cores(const std::set<int>& cpus) {
  std::set<std::string> cores;
  for (const int cpu : cpus) {
    const std::string path =
        "/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/topology/thread_siblings_list";
    const auto siblings = first_word(path);
    if (!siblings) return 0;
    cores.insert(*siblings);
  }
  return static_cast<int>(cores.size());
}

/// The first of the variables that OpenBLAS looks at which is set.
void look_at_blas(Surroundings& seen) {
  for (const char* variable : {"OPENBLAS_NUM_THREADS", "GOTO_NUM_THREADS", "OMP_NUM_THREADS"}) {
    const char* value = std::getenv(variable);
    if (value == nullptr || *value == '\0') continue;
    seen.blas_variable = variable;
    seen.blas_threads = value;
    return;
  }
}

std::optional<std::uint64_t> free_shared_memory() {
  struct statvfs status {};
  if (statvfs("/dev/shm", &status) != 0) return std::nullopt;
  return std::uint64_t{status.f_bavail} * status.f_frsize;
}

/// The word in brackets: `always [madvise] never`.
std::optional<std::string> huge_page_mode() {
  std::ifstream file("/sys/kernel/mm/transparent_hugepage/enabled");
  for (std::string word; file >> word;)
    if (word.size() > 2 && word.front() == '[') return word.substr(1, word.size() - 2);
  return std::nullopt;
}

bool is_virtual_machine() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("flags")) return (line + " ").find(" hypervisor ") != std::string::npos;
  return false;
}

bool is_set(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && std::string_view(value) == "1";
}

/// A governor that sounds slow is the normal one where the processor sets its own pace.
std::optional<std::string> frequency_governor() {
  const std::string directory = "/sys/devices/system/cpu/cpu0/cpufreq/";
  const auto driver = first_word(directory + "scaling_driver");
  if (driver && (*driver == "intel_pstate" || driver->starts_with("amd-pstate"))) return std::nullopt;
  return first_word(directory + "scaling_governor");
}

void look_at_system(Surroundings& seen) {
  seen.shared_memory_bytes = free_shared_memory();
  seen.governor = frequency_governor();
  seen.huge_pages = huge_page_mode();
  seen.is_virtual = is_virtual_machine();
  seen.is_root = geteuid() == 0;
  seen.may_mpirun_as_root = is_set("OMPI_ALLOW_RUN_AS_ROOT") && is_set("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM");
}

}  // namespace

Surroundings look_around(const RankEnvironment& ranks) {
  Surroundings seen;
  seen.host = host_name();
  seen.machine_cpus = static_cast<int>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
  seen.allowed_cpus = allowed_cpus_of("self");
  seen.cpu_quota = cgroup_cpu_quota();
  seen.ranks = ranks;
  seen.places = find_rank_places(ranks.job, ranks.ranks_here > 0 ? ranks.ranks_here : ranks.ranks);
  if (ranks.is_under_mpirun() && ranks.ranks_here == 0)
    seen.ranks.ranks_here = std::max(1, static_cast<int>(seen.places.size()));
  seen.physical_cores = count_cores(usable_cpus(seen));
  look_at_blas(seen);
  look_at_system(seen);
  seen.load = measure_load();
  return seen;
}

}  // namespace loadshare::tool
