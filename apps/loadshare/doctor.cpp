#include "apps/loadshare/doctor.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "apps/common/blas/core_types.hpp"
#include "apps/loadshare/command.hpp"
#include "apps/loadshare/output.hpp"
#include "apps/loadshare/surroundings.hpp"
#include "base/error.hpp"
#include "base/io/text.hpp"
#include "base/quantities.hpp"
#include "base/types.hpp"

namespace loadshare::tool {
namespace {

using MaybeFinding = std::optional<Finding>;

/// The processors that are there for the run on this host.
std::set<int> usable(const Surroundings& surroundings) {
  std::set<int> cpus;
  for (const RankPlace& place : surroundings.places) cpus.insert(place.cpus.begin(), place.cpus.end());
  if (cpus.empty()) cpus.insert(surroundings.allowed_cpus.begin(), surroundings.allowed_cpus.end());
  return cpus;
}

/// "1 processor", "2 processors".
std::string processors(Index number) {
  return count_text(number, "processor", "processors");
}

/// How many processors' worth of time the run can have on this host: those its ranks may use together, within
/// the control group's limit.
double capacity(const Surroundings& surroundings) {
  const auto cpus = static_cast<double>(std::max<std::size_t>(usable(surroundings).size(), 1));
  return std::min(cpus, surroundings.cpu_quota.value_or(cpus));
}

/// The same in words.
std::string capacity_text(const Surroundings& surroundings) {
  const auto cpus = static_cast<Index>(std::max<std::size_t>(usable(surroundings).size(), 1));
  if (capacity(surroundings) >= static_cast<double>(cpus)) return processors(cpus);
  return fmt::format("{}, of which the control group grants {:.2g}", processors(cpus),
                     capacity(surroundings));
}

bool is_overcrowded(const Surroundings& surroundings) {
  return surroundings.ranks.ranks_here > capacity(surroundings);
}

int whole_capacity(const Surroundings& surroundings) {
  return std::max(1, static_cast<int>(std::floor(capacity(surroundings))));
}

MaybeFinding cores_of_ranks(const Surroundings& surroundings) {
  const int here = surroundings.ranks.ranks_here;
  const std::string finding =
      fmt::format("{} on {}", count_text(here, "rank", "ranks"), capacity_text(surroundings));
  if (is_overcrowded(surroundings))
    return Finding{Level::warn, "cores", finding, "ranks that share a processor slow each other down",
                   fmt::format("start at most {} on this host", whole_capacity(surroundings))};
  if (surroundings.physical_cores > 0 && here > surroundings.physical_cores)
    return Finding{
        Level::warn, "cores",
        fmt::format("{} with {}", finding, count_text(surroundings.physical_cores, "core", "cores")),
        "two hardware threads of one core compute hardly faster than one",
        fmt::format("start at most {} on this host", surroundings.physical_cores)};
  return Finding{Level::ok, "cores", finding, "", ""};
}

/// Ranks that are bound to the same processors with more of them than processors, while others are free.
std::vector<int> crowded_ranks(const Surroundings& surroundings) {
  const std::size_t all = usable(surroundings).size();
  for (const RankPlace& place : surroundings.places) {
    std::vector<int> inside;
    for (const RankPlace& other : surroundings.places)
      if (!other.cpus.empty() &&
          std::includes(place.cpus.begin(), place.cpus.end(), other.cpus.begin(), other.cpus.end()))
        inside.push_back(other.rank);
    const bool leaves_others =
        place.cpus.size() < std::max<std::size_t>(all, static_cast<std::size_t>(surroundings.machine_cpus));
    if (leaves_others && inside.size() > place.cpus.size()) return inside;
  }
  return {};
}

MaybeFinding binding_of_ranks(const Surroundings& surroundings) {
  if (const std::vector<int> crowded = crowded_ranks(surroundings); !crowded.empty())
    return Finding{Level::warn, "binding",
                   fmt::format("ranks {} are bound to the same {}", fmt::join(crowded, ", "),
                               crowded.size() > 2 ? "few processors" : "processor"),
                   "they take turns while other processors idle",
                   "start with mpirun --bind-to core --map-by core"};
  const bool is_bound =
      std::any_of(surroundings.places.begin(), surroundings.places.end(), [&](const RankPlace& place) {
        return !place.cpus.empty() && static_cast<int>(place.cpus.size()) < surroundings.machine_cpus;
      });
  return Finding{Level::ok, "binding",
                 is_bound ? "ranks are bound to processors of their own" : "ranks are not bound", "", ""};
}

/// Are there processors for all ranks?
MaybeFinding cores_finding(const Surroundings& surroundings) {
  if (surroundings.ranks.is_under_mpirun()) return cores_of_ranks(surroundings);
  if (capacity(surroundings) < 2)
    return Finding{Level::warn, "cores", capacity_text(surroundings),
                   "there is no second processor to share the load with", "add machines with mpirun --host"};
  return Finding{Level::ok, "cores", capacity_text(surroundings), "", ""};
}

/// Do ranks have processors of their own?
MaybeFinding binding_finding(const Surroundings& surroundings) {
  if (surroundings.places.size() > 1) return binding_of_ranks(surroundings);
  const auto allowed = static_cast<int>(surroundings.allowed_cpus.size());
  const std::string finding =
      fmt::format("this process may use {} of {}", allowed, processors(surroundings.machine_cpus));
  if (allowed > 0 && allowed < surroundings.machine_cpus && !surroundings.ranks.is_under_mpirun())
    return Finding{Level::warn, "binding", finding, "workers started here share them",
                   "check taskset and the batch system's request"};
  return Finding{Level::ok, "binding", finding, "", ""};
}

/// Do waiting ranks get in the way of computing ones?
MaybeFinding waiting_finding(const Surroundings& surroundings) {
  if (surroundings.ranks.is_under_mpirun() && is_overcrowded(surroundings) &&
      !surroundings.ranks.knows_oversubscription)
    return Finding{Level::warn, "waiting", "mpirun does not know that ranks share processors",
                   "waiting ranks then take processor time from computing ranks: 5 to 6 times slower",
                   "start with --mca mpi_yield_when_idle 1 and wait with --wait nap"};
  return Finding{Level::ok, "waiting", "by default a rank that waits in MPI keeps a whole processor busy",
                 "--wait auto naps instead if ranks share processors", ""};
}

/// Whether the version text of a library or a launcher is Open MPI's.
bool is_open_mpi(const std::string& text) {
  return text.find("Open MPI") != std::string::npos || text.find("OpenRTE") != std::string::npos;
}

/// Do the launchers belong to the MPI that the programs are linked to?
MaybeFinding launcher_finding(const Surroundings& surroundings) {
  const std::string& library = surroundings.mpi_library;
  if (library.empty() || surroundings.launchers.empty()) return std::nullopt;
  std::vector<std::string> names;
  for (const Launcher& launcher : surroundings.launchers) {
    if (is_open_mpi(launcher.version) != is_open_mpi(library))
      return Finding{
          Level::warn, "launcher",
          fmt::format("{} in PATH belongs to another MPI ('{}')", launcher.name, launcher.version),
          fmt::format(
              "programs here are linked to {}: ranks that this launcher starts cannot reach each other",
              library),
          "start programs with the library's own launcher, on Debian mpirun.openmpi"};
    names.push_back(launcher.name);
  }
  return Finding{
      Level::ok, "launcher",
      fmt::format("{} and the programs here use the same MPI, {}", fmt::join(names, ", "), library), "", ""};
}

/// Work of others below this many processors is the usual background of a quiet machine.
constexpr double quiet_cores = 0.15;
/// One clock tick in the 200 ms of watching is 0.05 and may be chance.
constexpr double little_stolen_cores = 0.08;
/// Room for the first matrix of a product of size 8192 in double precision.
constexpr std::uint64_t enough_shared_memory = std::uint64_t{512} << 20;

MaybeFinding blas_threads(const Surroundings& surroundings) {
  if (!surroundings.blas_variable)
    return Finding{Level::ok, "BLAS threads", "not set", "matmul sets one per worker itself",
                   "other programs with a BLAS need OPENBLAS_NUM_THREADS=1"};
  const std::string& text = surroundings.blas_threads;
  // OpenMP's may be a list, with one for each level of nesting.
  const auto threads = parse_integer<int>(std::string_view(text).substr(0, text.find(',')));
  const int ranks = std::max(1, surroundings.ranks.ranks_here);
  const std::string finding = fmt::format("{}={}", *surroundings.blas_variable, text);
  if (threads && *threads * static_cast<double>(ranks) > capacity(surroundings))
    return Finding{Level::warn, "BLAS threads", finding,
                   fmt::format("{} with {} threads each share {}", count_text(ranks, "rank", "ranks"),
                               *threads, capacity_text(surroundings)),
                   "set OPENBLAS_NUM_THREADS=1 for other programs; matmul sets one thread per worker itself"};
  return Finding{Level::ok, "BLAS threads", finding, "matmul sets one per worker itself", ""};
}

/// Faster by less than this may be chance.
constexpr double clear_gain = 1.1;

MaybeFinding blas_kernels_finding(const Surroundings& surroundings) {
  if (!surroundings.blas) return std::nullopt;
  const BlasKernels& blas = *surroundings.blas;
  const std::string running = fmt::format("{} runs its {} kernels", blas.version, blas.core);
  const bool is_as_asked = blas.asked && blas::is_followed(*blas.asked, blas.core);
  if (blas.lacked)
    return Finding{
        Level::warn, "BLAS kernels", running,
        fmt::format("this processor has no {}: the program crashes in its first product", *blas.lacked),
        blas.asked ? "unset OPENBLAS_CORETYPE" : "set OPENBLAS_CORETYPE=Nehalem"};
  if (blas.better && blas.better_gflops > clear_gain * blas.gflops)
    return Finding{
        Level::warn, "BLAS kernels",
        is_as_asked ? running + ", as OPENBLAS_CORETYPE asks"
                    : fmt::format("{} mistakes this processor{} for a {}", blas.version,
                                  blas.processor.empty() ? "" : ", " + blas.processor + ",", blas.core),
        fmt::format("{:.0f} GFLOP/s per core; {:.0f} are possible", blas.gflops, blas.better_gflops),
        fmt::format("set OPENBLAS_CORETYPE={}{}", *blas.better,
                    is_as_asked ? "" : "; matmul and cannon do so themselves")};
  if (blas.asked && !is_as_asked)
    return Finding{Level::warn, "BLAS kernels", fmt::format("OPENBLAS_CORETYPE is '{}'", *blas.asked),
                   blas.version + " ignores that and chooses " + blas.core, "unset it"};
  return Finding{Level::ok, "BLAS kernels", running, "", ""};
}

MaybeFinding shared_memory(const Surroundings& surroundings) {
  if (!surroundings.shared_memory_bytes)
    return Finding{Level::warn, "shared memory", "there is no /dev/shm",
                   "the ranks of a host keep the first matrix there", "mount a tmpfs at /dev/shm"};
  const double mebibytes = std::floor(static_cast<double>(*surroundings.shared_memory_bytes) / (1 << 20));
  const std::string finding = mebibytes < 10'240
                                  ? fmt::format("{} MiB free in /dev/shm", mebibytes)
                                  : fmt::format("{:.0f} GiB free in /dev/shm", mebibytes / 1024);
  if (*surroundings.shared_memory_bytes < enough_shared_memory)
    return Finding{Level::warn, "shared memory", finding, "the ranks of a host keep the first matrix there",
                   "give it more: mount -o remount,size=4G /dev/shm, or --shm-size for a container"};
  return Finding{Level::ok, "shared memory", finding, "", ""};
}

std::string busy_text(const Surroundings& surroundings) {
  const ProcessorLoad& load = surroundings.load;
  std::string text = fmt::format("{:.1f} of {} are busy with other programs", load.busy_cores,
                                 processors(surroundings.machine_cpus));
  for (const BusyProcess& process : load.processes)
    text += fmt::format(", {} (process {}) {:.1f}", process.name, process.pid, process.cores);
  return text;
}

MaybeFinding other_programs(const Surroundings& surroundings) {
  const double wanted =
      surroundings.ranks.ranks_here > 0 ? surroundings.ranks.ranks_here : capacity(surroundings);
  const double left = surroundings.machine_cpus - surroundings.load.busy_cores;
  const std::string finding = busy_text(surroundings);
  if (surroundings.load.busy_cores > quiet_cores && left < wanted)
    return Finding{Level::warn, "other programs", finding, "the run shares processors with them",
                   "wait until they end, or use --scheduler auto or steady"};
  return Finding{Level::ok, "other programs", finding,
                 fmt::format("load average {:.2f}", surroundings.load.load_average), ""};
}

MaybeFinding virtualisation(const Surroundings& surroundings) {
  if (surroundings.load.stolen_cores > little_stolen_cores)
    return Finding{Level::warn, "virtual machine",
                   fmt::format("the hypervisor withholds {:.2f} processors", surroundings.load.stolen_cores),
                   "its other guests slow this one down", "measure more than once"};
  if (!surroundings.is_virtual) return std::nullopt;
  return Finding{Level::ok, "virtual machine", "the hypervisor withholds no processor time at the moment", "",
                 ""};
}

MaybeFinding frequency(const Surroundings& surroundings) {
  if (!surroundings.governor) return std::nullopt;
  if (*surroundings.governor == "powersave")
    return Finding{Level::warn, "frequency", "the governor is powersave",
                   "processors stay at their lowest frequency", "cpupower frequency-set -g performance"};
  return Finding{Level::ok, "frequency", fmt::format("the governor is {}", *surroundings.governor), "", ""};
}

MaybeFinding huge_pages(const Surroundings& surroundings) {
  if (!surroundings.huge_pages) return std::nullopt;
  if (*surroundings.huge_pages == "never")
    return Finding{Level::warn, "huge pages", "never", "large matrices then cost more address translations",
                   "echo madvise > /sys/kernel/mm/transparent_hugepage/enabled"};
  return Finding{Level::ok, "huge pages", *surroundings.huge_pages, "", ""};
}

MaybeFinding root(const Surroundings& surroundings) {
  if (!surroundings.is_root) return std::nullopt;
  if (surroundings.may_mpirun_as_root)
    return Finding{Level::ok, "root", "mpirun is allowed to run as root", "", ""};
  return Finding{Level::warn, "root", "mpirun refuses to run as root", "Open MPI's default",
                 "set OMPI_ALLOW_RUN_AS_ROOT=1 and OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1, or run as another user"};
}

enum class Strictness { advice_only, warnings_fail };

/// `loadshare doctor`: what would make runs slow here.
struct DoctorRequest {
  OutputForm form = OutputForm::text;
  Strictness strictness = Strictness::advice_only;
};

std::string json_of(const std::string& host, const std::vector<Finding>& findings) {
  nlohmann::ordered_json json{{"host", host}, {"findings", nlohmann::ordered_json::array()}};
  for (const Finding& finding : findings)
    json["findings"].push_back({{"level", finding.level == Level::ok ? "ok" : "warn"},
                                {"what", finding.what},
                                {"finding", finding.finding},
                                {"why", finding.why},
                                {"advice", finding.advice}});
  return file_text(json);
}

/// One text for all, so that the reports of several hosts do not mix line by line.
std::string text_of(const std::string& host, const std::vector<Finding>& findings) {
  std::string text = host + "\n";
  for (const Finding& finding : findings) text += line_of(finding) + "\n";
  return text;
}

/// Looks around and prints the findings. Under mpirun the first rank of each host speaks for its host, the
/// others only stay long enough to be looked at. With Strictness::warnings_fail a warning is run_failed.
ExitCode print_findings(const DoctorRequest& request) {
  const RankEnvironment ranks = rank_environment();
  if (ranks.local_rank != 0) {
    stay_to_be_seen();
    return ExitCode::good;
  }
  const Surroundings surroundings = look_around(ranks);
  const std::vector<Finding> findings = diagnose(surroundings);
  if (request.form == OutputForm::json)
    print_exactly(json_of(surroundings.host, findings));
  else
    print(text_of(surroundings.host, findings));
  const bool fails = request.strictness == Strictness::warnings_fail && has_warning(findings);
  return fails ? ExitCode::run_failed : ExitCode::good;
}

class Doctor final : public Command {
 public:
  void describe(CLI::App& app) override {
    app.add_flag("--json", json_, "print one JSON object");
    app.add_flag("--strict", strict_, "exit with 1 when there is a warning");
  }

  ExitCode run() override {
    return print_findings({json_ ? OutputForm::json : OutputForm::text,
                           strict_ ? Strictness::warnings_fail : Strictness::advice_only});
  }

 private:
  bool json_ = false;
  bool strict_ = false;
};

}  // namespace

std::vector<Finding> diagnose(const Surroundings& surroundings) {
  std::vector<Finding> findings;
  for (const auto look :
       {cores_finding, binding_finding, blas_threads, waiting_finding, shared_memory, other_programs,
        virtualisation, frequency, huge_pages, blas_kernels_finding, launcher_finding, root})
    if (auto finding = look(surroundings)) findings.push_back(std::move(*finding));
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
  if (!finding.advice.empty() && finding.level != Level::ok) line += "; " + finding.advice;
  return line;
}

std::unique_ptr<Command> make_doctor_command() {
  return std::make_unique<Doctor>();
}

}  // namespace loadshare::tool
