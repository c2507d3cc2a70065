#include "profiler/preload/run.hpp"

#include <mpi.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <new>
#include <string>

#include "base/quantities.hpp"
#include "profiler/preload/kernels.hpp"
#include "profiler/preload/mpi_setup.hpp"
#include "profiler/preload/record.hpp"
#include "profiler/preload/recorder.hpp"
#include "profiler/preload/section.hpp"
#include "profiler/preload/ticks.hpp"
#include "runtime/host/cgroup_quota.hpp"
#include "runtime/host/scheduling.hpp"

namespace loadshare::profile {
namespace {

/// Settings from the environment: LOADSHARE_PROFILE_OUT, LOADSHARE_PROFILE_LIMIT, and
/// LOADSHARE_PROFILE_COMMAND, which only `loadshare profile` sets.
struct Settings {
  Section::Path out{"loadshare.profile"};
  std::uint64_t command_id = 0;
  std::uint64_t limit_bytes = std::uint64_t{64} << 20;  ///< per rank, of events and communicators

  Trouble read_environment();
};

/// Returns an environment variable; null if it is unset or empty.
const char* environment_value(const char* name) {
  const char* text = std::getenv(name);
  return text == nullptr || *text == 0 ? nullptr : text;
}

Trouble Settings::read_environment() {
  if (const char* text = environment_value("LOADSHARE_PROFILE_OUT"))
    std::snprintf(out.data(), out.size(), "%s", text);
  if (const char* text = environment_value("LOADSHARE_PROFILE_COMMAND"))
    command_id = parse_integer<std::uint64_t>(text).value_or(0);
  if (const char* text = environment_value("LOADSHARE_PROFILE_LIMIT")) {
    const auto bytes = parse_bytes(text);
    if (!bytes) return trouble("LOADSHARE_PROFILE_LIMIT is", text, byte_count_form);
    limit_bytes = *bytes;
  }
  return {};
}

/// The result of the roll call, which checks that all ranks have loaded this library. It precedes the first
/// collective call, which would hang if a rank had not loaded it.
/// 1. Each rank publishes its name with mpirun.
/// 2. Rank 0 looks up all names and publishes whether it found all of them.
/// 3. The other ranks look that result up.
struct RollCall {
  bool are_all_here = true;
  Trouble missing;  ///< a warning, on one rank only
};

// MPI_Init returns at about the same time on all ranks. The other ranks wait longer than rank 0, so that all
// use the same result.
constexpr std::int64_t patience_ns = 5'000'000'000;
constexpr std::int64_t patience_for_rank_0_ns = 20'000'000'000;
constexpr const char* all = "all";
constexpr const char* some = "some";

/// Makes MPI return errors while it lives. A name that is not found is an MPI error, which must not end the
/// program.
class ErrorsReturn final {
 public:
  ErrorsReturn() {
    PMPI_Comm_get_errhandler(MPI_COMM_WORLD, &before_);
    PMPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  }
  ErrorsReturn(const ErrorsReturn&) = delete;
  ErrorsReturn& operator=(const ErrorsReturn&) = delete;
  ~ErrorsReturn() {
    PMPI_Comm_set_errhandler(MPI_COMM_WORLD, before_);
    PMPI_Errhandler_free(&before_);
  }

 private:
  MPI_Errhandler before_ = MPI_ERRHANDLER_NULL;
};

/// Returns a name with the job's id, because programs started by MPI_Comm_spawn use the same mpirun.
std::array<char, 200> name_of(const char* what, int rank) {
  std::array<char, 200> name{};
  const char* job = std::getenv("PMIX_NAMESPACE");
  std::snprintf(name.data(), name.size(), "loadshare.profile.%.100s.%s.%d", job == nullptr ? "" : job, what,
                rank);
  return name;
}

bool publish(const char* what, int rank, const char* text) {
  return PMPI_Publish_name(name_of(what, rank).data(), MPI_INFO_NULL, text) == MPI_SUCCESS;
}

bool look_up(const char* what, int rank, std::array<char, MPI_MAX_PORT_NAME>& text) {
  return PMPI_Lookup_name(name_of(what, rank).data(), MPI_INFO_NULL, text.data()) == MPI_SUCCESS;
}

/// Waits until the name is published, at most until `until_ns`. Returns whether it was.
bool await(const char* what, int rank, std::int64_t until_ns, std::array<char, MPI_MAX_PORT_NAME>& text) {
  for (useconds_t nap_us = 200; !look_up(what, rank, text);
       nap_us = std::min<useconds_t>(2 * nap_us, 20'000)) {
    if (nanoseconds(CLOCK_MONOTONIC) > until_ns) return false;
    usleep(nap_us);
  }
  return true;
}

RollCall missing_rank(int rank) {
  RollCall found{.are_all_here = false, .missing = {}};
  std::snprintf(found.missing.text.data(), found.missing.text.size(),
                "rank %d does not load the profiler (LD_PRELOAD is not set on all ranks)", rank);
  return found;
}

RollCall collect_roll_call(int ranks) {
  const std::int64_t until_ns = nanoseconds(CLOCK_MONOTONIC) + patience_ns;
  std::array<char, MPI_MAX_PORT_NAME> text{};
  int rank = 1;
  while (rank < ranks && await("rank", rank, until_ns, text)) ++rank;
  publish("all", 0, rank == ranks ? all : some);
  return rank == ranks ? RollCall{} : missing_rank(rank);
}

/// Waits for rank 0's result. If rank 0 does not take part, the lowest other rank reports that.
RollCall await_roll_call(int own_rank) {
  std::array<char, MPI_MAX_PORT_NAME> text{};
  if (await("all", 0, nanoseconds(CLOCK_MONOTONIC) + patience_for_rank_0_ns, text))
    return {.are_all_here = std::strcmp(text.data(), all) == 0, .missing = {}};
  for (int rank = 1; rank < own_rank; ++rank)
    if (look_up("rank", rank, text)) return {.are_all_here = false, .missing = {}};
  return missing_rank(0);
}

/// Takes the roll call. Without mpirun no name can be published; other launchers give all ranks the same
/// environment.
RollCall take_roll_call() {
  int rank = 0;
  int ranks = 1;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const ErrorsReturn guard;
  if (ranks == 1 || !publish("rank", rank, "here")) return {};
  return rank == 0 ? collect_roll_call(ranks) : await_roll_call(rank);
}

Kernels* kernels = nullptr;

/// Returns the kernel's file. Rank 0's kernel writes the profile itself; the others write parts next to it,
/// which are merged at the end.
Section::Path path_of(const Kernels& placement, const Section::Path& out) {
  if (placement.leader() == 0) return out;
  Section::Path path{};
  std::snprintf(path.data(), path.size(), "%.1000s.rank%d", out.data(), placement.leader());
  return path;
}

/// Returns, on every rank, the trouble of the first rank that has one.
Trouble first_trouble(const Kernels& placement, const Trouble& own) {
  int first = own ? placement.rank() : placement.ranks();
  PMPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  Trouble shared = own;
  if (first == placement.ranks()) return {};
  PMPI_Bcast(shared.text.data(), static_cast<int>(shared.text.size()), MPI_CHAR, first, MPI_COMM_WORLD);
  return shared;
}

/// Reserves the files. Rank 0 chooses the name of the profile, from which the other leaders derive theirs.
Trouble reserve_place(Section& section, const Kernels& placement, Settings& settings) {
  Trouble own;
  if (placement.rank() == 0) own = section.reserve(settings.out, settings.command_id);
  PMPI_Bcast(settings.out.data(), static_cast<int>(settings.out.size()), MPI_CHAR, 0, MPI_COMM_WORLD);
  Section::Path path = path_of(placement, settings.out);
  if (placement.is_leader() && placement.rank() != 0) own = section.reserve(path, 0);
  return first_trouble(placement, own);
}

/// Opens the section. The leader creates the file and sends its name to the other ranks of its kernel.
Trouble open_section(Section& section, const Kernels& placement, const Settings& settings) {
  MPI_Comm here = MPI_COMM_NULL;
  PMPI_Comm_split(MPI_COMM_WORLD, placement.leader(), placement.rank(), &here);
  Trouble own;
  if (placement.is_leader())
    own = section.create(placement.run_id(), settings.command_id, placement.ranks_here(),
                         static_cast<std::uint32_t>(placement.ranks()));
  Trouble leaders = own;
  PMPI_Bcast(leaders.text.data(), static_cast<int>(leaders.text.size()), MPI_CHAR, 0, here);
  Section::Path made = section.made();
  PMPI_Bcast(made.data(), static_cast<int>(made.size()), MPI_CHAR, 0, here);
  PMPI_Comm_free(&here);
  if (!placement.is_leader() && !leaders) own = section.join(made.data(), placement.number_here());
  return own;
}

void describe_program(SectionHeader& header) {
  const SmallFile<1000> words("/proc/self/cmdline");
  std::size_t end = 0;
  for (const char letter : words.text()) header.program[end++] = letter == 0 ? ' ' : letter;
  while (end > 0 && header.program[end - 1] == ' ') header.program[--end] = 0;
}

/// Writes MPI's settings into the header. Settings that do not fit are left out.
void describe_mpi(SectionHeader& header) {
  std::map<std::string, std::string> settings = mpi_settings_asked_for();
  settings["mpi"] = mpi_version();
  std::size_t end = 0;
  for (const auto& [name, value] : settings) {
    const std::string line = name + "=" + value + "\n";
    if (end + line.size() >= header.mpi.size()) continue;
    std::ranges::copy(line, header.mpi.begin() + static_cast<std::ptrdiff_t>(end));
    end += line.size();
  }
}

void describe_processors(Slot& slot) {
  const ProcessorSet allowed = allowed_processors();
  const std::size_t words = std::min(allowed.words().size(), slot.processors.size());
  std::ranges::copy(allowed.words().first(words), slot.processors.begin());
}

void describe_rank(Slot& slot, const Kernels& placement) {
  slot.rank = placement.rank();
  gethostname(slot.host.data(), slot.host.size() - 1);
  slot.capacity = 1;
  try {
    describe_processors(slot);
    slot.capacity = capacity_of_one(placement.ranks_of_host());
  } catch (const std::exception&) {  // /proc has an unknown form: assume no limit
  }
}

void print_warning(const Trouble& why) {
  std::fprintf(stderr, "loadshare profile: %s; the program continues without a profile\n", why.text.data());
}

/// Prints the reason on rank 0, and removes the new files.
void give_up(const Kernels& placement, const Trouble& why) {
  if (placement.rank() == 0) print_warning(why);
  if (placement.is_leader()) the_recorder->section.discard();
}

void leave_to_parent() {
  thread_state = ThreadState::not_recorded;
  is_recording = false;
}

Recorder* make_recorder() {
  alignas(Recorder) static std::array<std::byte, sizeof(Recorder)> memory;
  return new (memory.data()) Recorder;
}

}  // namespace

void begin_run(const ClockPair& before) {
  const RollCall roll = take_roll_call();
  if (roll.missing) print_warning(roll.missing);
  if (!roll.are_all_here) return;
  kernels = new Kernels(Kernels::locate());
  the_recorder = make_recorder();
  Section& section = the_recorder->section;
  Settings settings;
  const Trouble misread = settings.read_environment();
  if (const Trouble why = first_trouble(*kernels, misread)) return give_up(*kernels, why);
  if (const Trouble why = reserve_place(section, *kernels, settings)) return give_up(*kernels, why);
  if (const Trouble why = first_trouble(*kernels, open_section(section, *kernels, settings)))
    return give_up(*kernels, why);
  const Trouble named = kernels->is_leader() ? section.take_place() : Trouble{};
  if (const Trouble why = first_trouble(*kernels, named)) return give_up(*kernels, why);
  if (kernels->is_leader()) {
    describe_program(section.header());
    safely([&] { describe_mpi(section.header()); });
  }
  describe_rank(section.slot(), *kernels);
  if (const ClockOffset offset = exchange_clocks(*kernels); kernels->is_leader())
    section.header().offsets[0] = offset;
  pthread_atfork(nullptr, nullptr, leave_to_parent);
  the_recorder->begin(before, settings.limit_bytes);
  is_recording = true;
  start_watching_for_end();
  thread_state = ThreadState::outside;
}

void end_run() {
  the_recorder->finish();
  is_recording = false;
  thread_state = ThreadState::not_recorded;
  if (kernels->other_leaders().empty()) return;
  if (const ClockOffset offset = exchange_clocks(*kernels); kernels->is_leader())
    the_recorder->section.header().offsets[1] = offset;
  merge_sections(the_recorder->section, *kernels);
  kernels->free_own_world();
}

}  // namespace loadshare::profile
