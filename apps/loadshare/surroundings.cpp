#include "apps/loadshare/surroundings.hpp"

#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <set>
#include <sstream>
#include <thread>

#include "apps/common/blas/library.hpp"
#include "base/error.hpp"
#include "base/io/files.hpp"
#include "base/io/process.hpp"
#include "base/io/system_file.hpp"
#include "base/quantities.hpp"
#include "runtime/host/cgroup_quota.hpp"
#include "runtime/host/clock.hpp"
#include "runtime/transport/mpi/mpi_transport.hpp"

namespace loadshare::tool {
namespace {

using namespace std::chrono_literals;
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
    const auto pid = parse_integer<int>(entry.path().filename().string());
    if (!pid) continue;
    if (const std::string line = first_line(entry.path() / "stat"); !line.empty())
      taken.processes[*pid] = parse_process_times(line);
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

constexpr auto longest_search = 1000ms;
constexpr auto search_interval = 20ms;

/// The first of the variables that is set to a number.
std::optional<int> first_number(std::initializer_list<const char*> variables) {
  for (const char* variable : variables)
    if (const char* value = std::getenv(variable); value != nullptr)
      if (const auto number = parse_integer<int>(value)) return number;
  return std::nullopt;
}

std::optional<int> rank_in_job(const fs::path& process, const std::string& job) {
  const auto environment = parse_environment(content_of(process / "environ"));
  const auto name = environment.find("PMIX_NAMESPACE");
  const auto rank = environment.find("PMIX_RANK");
  if (name == environment.end() || rank == environment.end() || name->second != job) return std::nullopt;
  return parse_integer<int>(rank->second);
}

/// One look at all processes. A rank started through a wrapper script shows twice; the later process counts.
std::map<int, std::vector<int>> places_now(const std::string& job) {
  std::map<int, std::pair<int, std::vector<int>>> found;
  std::error_code gone;  // processes end while we look
  for (const auto& entry : fs::directory_iterator("/proc", gone)) {
    const auto process = parse_integer<int>(entry.path().filename().string());
    const auto rank = process ? rank_in_job(entry.path(), job) : std::nullopt;
    if (rank && found[*rank].first < *process)
      found[*rank] = {*process, allowed_cpus_of(entry.path().filename().string())};
  }
  std::map<int, std::vector<int>> places;
  for (auto& [rank, place] : found) places[rank] = std::move(place.second);
  return places;
}

std::optional<std::string> first_word(const std::string& path) {
  std::ifstream file(path);
  std::string word;
  return file >> word ? std::optional(word) : std::nullopt;
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

/// The best of three products of matrices that fit into a cache, after one that warms it up.
double gflops_of_one_core(const blas::Library& library) {
  constexpr int n = 512, products = 4;
  constexpr double operations = 2.0 * n * n * n;
  const std::vector<double> factor(std::size_t{n} * n, 0.5);
  std::vector<double> product(factor.size());
  library.set_threads(1);
  double best = 0;
  const blas::CallRoom room;
  for (int i = 0; i < products; ++i) {
    const double begun_s = thread_cpu_s();  // what others use of the processor is no matter here
    library.dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1, factor.data(), n, factor.data(), n,
                  0, product.data(), n);
    const double taken_s = thread_cpu_s() - begun_s;
    if (i > 0) best = std::max(best, operations / taken_s * 1e-9);
  }
  return best;
}

/// OpenBLAS as any program here would meet it, and where that is slow, as it could be.
std::optional<BlasKernels> blas_kernels() {
  const blas::Processor processor = blas::this_processor();
  try {
    auto library = std::make_unique<blas::Library>(blas::Family::openblas);
    BlasKernels kernels{
        .version = library->version(),
        .core = library->core(),
        .processor = processor.name,
        .asked = blas::asked_core_type(),
        .lacked = blas::missing_instruction(blas::Family::openblas, library->core(), processor),
        .better = blas::better_core_type(library->core(), processor)};
    if (!kernels.better || kernels.lacked) return kernels;
    kernels.gflops = gflops_of_one_core(*library);
    library.reset();
    kernels.better_gflops = gflops_of_one_core(blas::Library(blas::Family::openblas, kernels.better));
    return kernels;
  } catch (const Error&) {  // it cannot be loaded, or has no memory to compute in
    return std::nullopt;
  }
}

std::vector<Launcher> launchers_in_path() {
  std::vector<Launcher> launchers;
  for (const char* name : {"mpirun", "mpiexec"}) {
    const std::string path = find_in_path(name);
    if (path.empty()) continue;
    const std::string said = run_to_end({path, "--version"}).printed;
    launchers.push_back({name, said.substr(0, said.find('\n'))});
  }
  return launchers;
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

LoadSample parse_processor_times(std::string_view line) {
  std::istringstream words{std::string(line)};
  words.imbue(std::locale::classic());
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
  words.imbue(std::locale::classic());
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
  system_file("/proc/loadavg") >> load.load_average;
  return load;
}

RankEnvironment rank_environment() {
  RankEnvironment environment;
  environment.ranks = first_number({"OMPI_COMM_WORLD_SIZE", "SLURM_STEP_NUM_TASKS"}).value_or(0);
  environment.ranks_here = first_number({"OMPI_COMM_WORLD_LOCAL_SIZE"}).value_or(0);
  environment.local_rank = first_number({"OMPI_COMM_WORLD_LOCAL_RANK", "SLURM_LOCALID"}).value_or(0);
  environment.knows_oversubscription =
      first_number({"OMPI_MCA_mpi_oversubscribe", "OMPI_MCA_mpi_yield_when_idle"}).value_or(0) != 0;
  if (const char* job = std::getenv("PMIX_NAMESPACE"); job != nullptr) environment.job = job;
  return environment;
}

std::vector<int> allowed_cpus_of(const std::string& process) {
  constexpr std::string_view key = "Cpus_allowed_list:\t";
  const std::string status = content_of(fs::path("/proc") / process / "status");
  const std::size_t at = status.find(key);
  if (at == std::string::npos) return {};
  const std::size_t begin = at + key.size();
  return parse_cpu_list(std::string_view(status).substr(begin, status.find('\n', begin) - begin));
}

std::vector<RankPlace> find_rank_places(const std::string& job, int expected) {
  if (job.empty()) return {};
  const auto give_up = std::chrono::steady_clock::now() + longest_search;
  auto found = places_now(job);
  while (static_cast<int>(found.size()) < expected && std::chrono::steady_clock::now() < give_up) {
    std::this_thread::sleep_for(search_interval);
    found = places_now(job);
  }
  std::vector<RankPlace> places;
  for (auto& [rank, cpus] : found) places.push_back({rank, std::move(cpus)});
  return places;
}

void stay_to_be_seen() {
  std::this_thread::sleep_for(longest_search + 2 * search_interval);
}

std::vector<int> parse_cpu_list(std::string_view text) {
  std::vector<int> cpus;
  while (!text.empty()) {
    const std::string_view range = text.substr(0, text.find(','));
    text.remove_prefix(std::min(range.size() + 1, text.size()));
    const auto first = parse_integer<int>(range.substr(0, range.find('-')));
    const auto last = parse_integer<int>(range.substr(range.find('-') + 1));
    if (!first || !last) continue;
    for (int cpu = *first; cpu <= *last; ++cpu) cpus.push_back(cpu);
  }
  return cpus;
}

std::map<std::string, std::string, std::less<>> parse_environment(std::string_view block) {
  std::map<std::string, std::string, std::less<>> variables;
  while (!block.empty()) {
    const std::string_view entry = block.substr(0, block.find('\0'));
    block.remove_prefix(std::min(entry.size() + 1, block.size()));
    const std::size_t equals = entry.find('=');
    if (equals != std::string_view::npos)
      variables.emplace(entry.substr(0, equals), entry.substr(equals + 1));
  }
  return variables;
}

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
  seen.mpi_library = mpi_library();
  seen.launchers = launchers_in_path();
  look_at_blas(seen);
  seen.blas = blas_kernels();
  look_at_system(seen);
  seen.load = measure_load();
  return seen;
}

}  // namespace loadshare::tool
