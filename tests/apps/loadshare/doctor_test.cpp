#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apps/loadshare/doctor.hpp"

namespace loadshare::tool {
namespace {

using ::testing::ElementsAre;

/// A quiet machine of four cores, without mpirun.
Surroundings quiet_machine() {
  Surroundings seen;
  seen.host = "node0";
  seen.machine_cpus = 4;
  seen.allowed_cpus = {0, 1, 2, 3};
  seen.physical_cores = 4;
  seen.shared_memory_bytes = std::uint64_t{8} << 30;
  seen.load.busy_cores = 0.02;
  seen.load.load_average = 0.1;
  return seen;
}

/// The same under mpirun, each rank bound to one processor.
Surroundings bound_ranks(int ranks) {
  Surroundings seen = quiet_machine();
  seen.ranks = {
      .ranks = ranks, .ranks_here = ranks, .local_rank = 0, .knows_oversubscription = false, .job = "j"};
  for (int rank = 0; rank < ranks; ++rank) seen.places.push_back({rank, {rank % 4}});
  seen.allowed_cpus = {0};
  return seen;
}

std::vector<std::string> warnings(const Surroundings& seen) {
  std::vector<std::string> lines;
  for (const Finding& finding : diagnose(seen))
    if (finding.level == Level::warn) lines.push_back(line_of(finding));
  return lines;
}

std::string line_about(const Surroundings& seen, const std::string& what) {
  for (const Finding& finding : diagnose(seen))
    if (finding.what == what) return line_of(finding);
  return "";
}

TEST(Diagnose, AQuietMachineHasNothingToWarnOf) {
  std::vector<std::string> lines;
  for (const Finding& finding : diagnose(quiet_machine())) lines.push_back(line_of(finding));
  EXPECT_THAT(
      lines,
      ElementsAre(
          "ok    cores: 4 processors", "ok    binding: this process may use 4 of 4 processors",
          "ok    BLAS threads: not set (matmul sets one per worker itself)",
          "ok    waiting: by default a rank that waits in MPI keeps a whole processor busy (--wait auto naps "
          "instead if ranks share processors)",
          "ok    shared memory: 8192 MiB free in /dev/shm",
          "ok    other programs: 0.0 of 4 processors are busy with other programs (load average 0.10)"));
  EXPECT_FALSE(has_warning(diagnose(quiet_machine())));
}

TEST(Diagnose, ComparesTheLauncherWithTheMpiOfThePrograms) {
  Surroundings seen = quiet_machine();
  seen.mpi_library = "Open MPI v4.1.4";
  seen.launchers = {{"mpirun", "mpirun (Open MPI) 4.1.4"}, {"mpiexec", "mpiexec (OpenRTE) 4.1.4"}};
  EXPECT_EQ(line_about(seen, "launcher"),
            "ok    launcher: mpirun, mpiexec and the programs here use the same MPI, Open MPI v4.1.4");
  seen.launchers[1].version = "HYDRA build details:";
  EXPECT_EQ(line_about(seen, "launcher"),
            "warn  launcher: mpiexec in PATH belongs to another MPI ('HYDRA build details:') (programs here "
            "are linked to Open MPI v4.1.4: ranks that this launcher starts cannot reach each other); start "
            "programs with the library's own launcher, on Debian mpirun.openmpi");
}

TEST(Diagnose, RanksBoundEachToItsOwnAreFine) {
  const Surroundings seen = bound_ranks(4);
  EXPECT_THAT(warnings(seen), ElementsAre());
  EXPECT_EQ(line_about(seen, "cores"), "ok    cores: 4 ranks on 4 processors");
  EXPECT_EQ(line_about(seen, "binding"), "ok    binding: ranks are bound to processors of their own");
}

/// With an OpenBLAS that runs a Prescott's kernels on a processor of wider vectors.
Surroundings slow_blas() {
  Surroundings seen = quiet_machine();
  seen.blas = {.version = "OpenBLAS 0.3.21",
               .core = "Prescott",
               .processor = "Intel(R) Xeon(R) 6975P-C",
               .asked = std::nullopt,
               .lacked = std::nullopt,
               .better = "SkylakeX",
               .gflops = 9.8,
               .better_gflops = 62.2};
  return seen;
}

TEST(Diagnose, AnOpenBlasThatDoesNotKnowTheProcessor) {
  EXPECT_THAT(warnings(slow_blas()),
              ElementsAre("warn  BLAS kernels: OpenBLAS 0.3.21 mistakes this processor, Intel(R) Xeon(R) "
                          "6975P-C, for a Prescott (10 GFLOP/s per core; 62 are possible); set "
                          "OPENBLAS_CORETYPE=SkylakeX; matmul and cannon do so themselves"));
}

TEST(Diagnose, KernelsThatTheUserAskedFor) {
  Surroundings seen = slow_blas();
  seen.blas->asked = "prescott";
  EXPECT_THAT(
      warnings(seen),
      ElementsAre("warn  BLAS kernels: OpenBLAS 0.3.21 runs its Prescott kernels, as OPENBLAS_CORETYPE asks "
                  "(10 GFLOP/s per core; 62 are possible); set OPENBLAS_CORETYPE=SkylakeX"));
  seen.blas->better_gflops = 10;
  EXPECT_THAT(warnings(seen), ElementsAre());
}

TEST(Diagnose, KernelsThatTheProcessorCannotRun) {
  Surroundings seen = slow_blas();
  seen.blas->core = "Cooperlake";
  seen.blas->asked = "Cooperlake";
  seen.blas->lacked = "avx512_bf16";
  EXPECT_THAT(
      warnings(seen),
      ElementsAre("warn  BLAS kernels: OpenBLAS 0.3.21 runs its Cooperlake kernels (this processor has no "
                  "avx512_bf16: the program crashes in its first product); unset OPENBLAS_CORETYPE"));
}

TEST(Diagnose, ACoreTypeThatOpenBlasDoesNotHave) {
  Surroundings seen = slow_blas();
  seen.blas->core = "SkylakeX";
  seen.blas->better = std::nullopt;
  EXPECT_EQ(line_about(seen, "BLAS kernels"),
            "ok    BLAS kernels: OpenBLAS 0.3.21 runs its SkylakeX kernels");
  seen.blas->asked = "Skylake";
  EXPECT_THAT(warnings(seen), ElementsAre("warn  BLAS kernels: OPENBLAS_CORETYPE is 'Skylake' (OpenBLAS "
                                          "0.3.21 ignores that and chooses SkylakeX); unset it"));
}

TEST(Diagnose, OneProcessorIsNothingToShare) {
  Surroundings seen = quiet_machine();
  seen.machine_cpus = 1;
  seen.allowed_cpus = {0};
  EXPECT_THAT(warnings(seen), ElementsAre("warn  cores: 1 processor (there is no second processor to share "
                                          "the load with); add machines with mpirun --host"));
}

TEST(Diagnose, MoreRanksThanProcessors) {
  Surroundings seen = bound_ranks(6);
  for (RankPlace& place : seen.places) place.cpus = {0, 1, 2, 3};
  EXPECT_THAT(warnings(seen),
              ElementsAre("warn  cores: 6 ranks on 4 processors (ranks that share a processor slow each "
                          "other down); start at most 4 on this host",
                          "warn  waiting: mpirun does not know that ranks share processors (waiting ranks "
                          "then take processor time from computing ranks: 5 to 6 times slower); start with "
                          "--mca mpi_yield_when_idle 1 and wait with --wait nap"));
  seen.ranks.knows_oversubscription = true;
  EXPECT_EQ(warnings(seen).size(), 1u);
}

TEST(Diagnose, AControlGroupGrantsLessThanThereIs) {
  Surroundings seen = bound_ranks(3);
  seen.ranks.knows_oversubscription = true;
  seen.cpu_quota = 1.5;
  EXPECT_THAT(
      warnings(seen),
      ElementsAre("warn  cores: 3 ranks on 3 processors, of which the control group grants 1.5 (ranks that "
                  "share a processor slow each other down); start at most 1 on this host"));
}

TEST(Diagnose, HardwareThreadsAreNoCores) {
  Surroundings seen = bound_ranks(4);
  seen.physical_cores = 2;
  EXPECT_EQ(line_about(seen, "cores"),
            "warn  cores: 4 ranks on 4 processors with 2 cores (two hardware threads of one core compute "
            "hardly faster than one); start at most 2 on this host");
}

TEST(Diagnose, RanksBoundToTheSameProcessor) {
  Surroundings seen = bound_ranks(3);
  seen.places[2].cpus = {0};
  EXPECT_EQ(line_about(seen, "binding"),
            "warn  binding: ranks 0, 2 are bound to the same processor (they take turns while other "
            "processors idle); start with mpirun --bind-to core --map-by core");
}

TEST(Diagnose, ManyRanksInOneNarrowSet) {
  Surroundings seen = bound_ranks(4);
  for (int rank : {0, 1, 2}) seen.places[static_cast<std::size_t>(rank)].cpus = {0, 1};
  EXPECT_THAT(line_about(seen, "binding"),
              ::testing::StartsWith("warn  binding: ranks 0, 1, 2 are bound to the same few"));
}

TEST(Diagnose, BlasThreadsTimesRanksCrowdTheProcessors) {
  Surroundings seen = bound_ranks(4);
  seen.blas_variable = "OMP_NUM_THREADS";
  seen.blas_threads = "4";
  EXPECT_THAT(
      warnings(seen),
      ElementsAre("warn  BLAS threads: OMP_NUM_THREADS=4 (4 ranks with 4 threads each share 4 processors); "
                  "set OPENBLAS_NUM_THREADS=1 for other programs; matmul sets one thread per worker itself"));
  seen.blas_threads = "1";
  EXPECT_THAT(warnings(seen), ElementsAre());
  seen.blas_threads = "many";
  EXPECT_THAT(warnings(seen), ElementsAre());
}

TEST(Diagnose, OtherProgramsMatterOnlyWhereTheyTakeWhatIsWanted) {
  Surroundings seen = bound_ranks(2);
  seen.load.busy_cores = 1.5;
  seen.load.processes = {{.pid = 12, .name = "make", .cores = 1.4}};
  EXPECT_THAT(warnings(seen), ElementsAre());
  seen.load.busy_cores = 2.6;
  EXPECT_THAT(
      warnings(seen),
      ElementsAre(
          "warn  other programs: 2.6 of 4 processors are busy with other programs, make (process 12) 1.4 "
          "(the run shares processors with them); wait until they end, or use --scheduler auto or steady"));
}

TEST(Diagnose, TheSystemsOwnBrakes) {
  Surroundings seen = quiet_machine();
  seen.shared_memory_bytes = std::uint64_t{64} << 20;
  seen.governor = "powersave";
  seen.huge_pages = "never";
  seen.load.stolen_cores = 0.5;
  seen.is_root = true;
  std::vector<std::string> what;
  for (const Finding& finding : diagnose(seen))
    if (finding.level == Level::warn) what.push_back(finding.what);
  EXPECT_THAT(what, ElementsAre("shared memory", "virtual machine", "frequency", "huge pages", "root"));
  seen.shared_memory_bytes.reset();
  EXPECT_THAT(line_about(seen, "shared memory"),
              ::testing::StartsWith("warn  shared memory: there is no /dev/shm"));
}

TEST(Diagnose, NothingSeenIsNoFailure) {
  EXPECT_FALSE(diagnose(Surroundings{}).empty());
}

}  // namespace
}  // namespace loadshare::tool
