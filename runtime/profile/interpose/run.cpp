#include "runtime/profile/interpose/run.hpp"

#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <new>

#include "runtime/host/cgroup_quota.hpp"
#include "runtime/profile/interpose/clock_exchange.hpp"
#include "runtime/profile/interpose/endings.hpp"
#include "runtime/profile/interpose/kernels.hpp"
#include "runtime/profile/interpose/merge.hpp"
#include "runtime/profile/interpose/recorder.hpp"
#include "runtime/profile/interpose/roll_call.hpp"
#include "runtime/profile/interpose/settings.hpp"
#include "runtime/profile/interpose/small_file.hpp"

namespace loadshare::profile {
namespace {

Kernels* kernels = nullptr;

/// Rank 0's kernel has the file itself, others have parts beside it, which rank 0 takes in at the end.
Section::Path path_of(const Kernels& around, const char* out) {
  Section::Path path{};
  if (around.leader() == 0)
    std::snprintf(path.data(), path.size(), "%s", out);
  else
    std::snprintf(path.data(), path.size(), "%s.rank%d", out, around.leader());
  return path;
}

/// Every rank learns the trouble of the first rank that has any.
Trouble first_trouble(const Kernels& around, const Trouble& own) {
  int first = own ? around.rank() : around.ranks();
  PMPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  Trouble shared = own;
  if (first == around.ranks()) return {};
  PMPI_Bcast(shared.text.data(), static_cast<int>(shared.text.size()), MPI_CHAR, first, MPI_COMM_WORLD);
  return shared;
}

/// The leader creates, the others are told the name and join.
Trouble open_section(Section& section, const Kernels& around, const char* path) {
  MPI_Comm here = MPI_COMM_NULL;
  PMPI_Comm_split(MPI_COMM_WORLD, around.leader(), around.rank(), &here);
  Trouble own;
  if (around.is_leader())
    own = section.create(path, around.run_id(), around.ranks_here(),
                         static_cast<std::uint32_t>(around.ranks()));
  Trouble leaders = own;
  PMPI_Bcast(leaders.text.data(), static_cast<int>(leaders.text.size()), MPI_CHAR, 0, here);
  Section::Path made = section.made();
  PMPI_Bcast(made.data(), static_cast<int>(made.size()), MPI_CHAR, 0, here);
  PMPI_Comm_free(&here);
  if (!around.is_leader() && !leaders) own = section.join(made.data(), around.number_here());
  return own;
}

void describe_program(SectionHeader& header) {
  const SmallFile<1000> words("/proc/self/cmdline");
  std::size_t end = 0;
  for (const char letter : words.text()) header.program[end++] = letter == 0 ? ' ' : letter;
  while (end > 0 && header.program[end - 1] == ' ') header.program[--end] = 0;
}

/// Beyond the mask there are no processors that MPI's ranks are on.
void describe_processors(Slot& slot) {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
  for (std::size_t i = 0; i < 64 * slot.processors.size(); ++i)
    if (CPU_ISSET(i, &allowed)) slot.processors[i / 64] |= std::uint64_t{1} << (i % 64);
}

void describe_rank(Slot& slot, const Kernels& around) {
  slot.rank = around.rank();
  gethostname(slot.host.data(), slot.host.size() - 1);
  describe_processors(slot);
  slot.capacity = 1;
  try {
    slot.capacity = capacity_of_one(around.ranks_of_host());
  } catch (const std::exception&) {  // a strange /proc: as good as no limit
  }
}

void tell(const Trouble& why) {
  std::fprintf(stderr, "loadshare profile: %s the program runs on, unprofiled\n", why.text.data());
}

/// Tells, once, and gives up.
void give_up(const Kernels& around, const Trouble& why) {
  if (around.rank() == 0) tell(why);
  if (around.is_leader()) the_recorder->section.discard();
}

void leave_to_parent() {
  where = Where::not_recorded;
  is_recording = false;
}

Recorder* make_recorder() {
  alignas(Recorder) static std::array<std::byte, sizeof(Recorder)> memory;
  return new (memory.data()) Recorder;
}

}  // namespace

void begin_run(const ClockPair& before) {
  const RollCall roll = call_the_roll();
  if (roll.missing) tell(roll.missing);
  if (!roll.are_all_here) return;
  kernels = new Kernels(Kernels::look_around());
  the_recorder = make_recorder();
  Section& section = the_recorder->section;
  Settings settings;
  const Trouble misread = settings.read_environment();
  if (const Trouble why = first_trouble(*kernels, misread)) return give_up(*kernels, why);
  const Section::Path path = path_of(*kernels, settings.out);
  if (const Trouble why = first_trouble(*kernels, open_section(section, *kernels, path.data())))
    return give_up(*kernels, why);
  const Trouble named = kernels->is_leader() ? section.take_place(path.data()) : Trouble{};
  if (const Trouble why = first_trouble(*kernels, named)) return give_up(*kernels, why);
  if (kernels->is_leader()) describe_program(section.header());
  describe_rank(section.slot(), *kernels);
  if (const ClockOffset offset = exchange_clocks(*kernels); kernels->is_leader())
    section.header().offsets[0] = offset;
  pthread_atfork(nullptr, nullptr, leave_to_parent);
  the_recorder->begin(before, settings.limit_bytes);
  is_recording = true;
  watch_for_the_end();
  where = Where::outside;
}

void end_run() {
  the_recorder->finish();
  is_recording = false;
  where = Where::not_recorded;
  if (kernels->other_leaders().empty()) return;
  if (const ClockOffset offset = exchange_clocks(*kernels); kernels->is_leader())
    the_recorder->section.header().offsets[1] = offset;
  merge_sections(the_recorder->section, *kernels);
  kernels->free_own_world();
}

}  // namespace loadshare::profile
