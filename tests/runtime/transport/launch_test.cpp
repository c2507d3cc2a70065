#include "runtime/transport/launch.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

namespace loadshare {
namespace {

using Variables = std::vector<std::pair<const char*, const char*>>;

/// An environment with these variables of launchers, and no others.
class LaunchedBy {
 public:
  explicit LaunchedBy(const Variables& variables) {
    for (const char* name : {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK",
                             "PMI_SIZE", "MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE", "SLURM_STEP_NUM_TASKS",
                             "SLURM_PROCID", "SLURM_NTASKS"}) {
      const char* value = std::getenv(name);
      before_.emplace_back(name, value != nullptr ? value : "");
      unsetenv(name);
    }
    for (const auto& [name, value] : variables) setenv(name, value, 1);
  }
  ~LaunchedBy() {
    for (const auto& [name, value] : before_) value.empty() ? unsetenv(name) : setenv(name, value.c_str(), 1);
  }
  LaunchedBy(const LaunchedBy&) = delete;
  LaunchedBy& operator=(const LaunchedBy&) = delete;

 private:
  std::vector<std::pair<const char*, std::string>> before_;
};

TEST(Launch, WithoutALauncher) {
  const LaunchedBy nobody(Variables{});
  const Launch launch = detect_launch();
  EXPECT_FALSE(launch.is_mpi);
  EXPECT_FALSE(launch.is_stray_task);
  EXPECT_EQ(launch.ranks_variable, nullptr);
}

TEST(Launch, ABatchScriptsOwnProcessIsNoRank) {
  const LaunchedBy sbatch(Variables{{"SLURM_NTASKS", "4"}, {"SLURM_PROCID", "0"}});
  const Launch launch = detect_launch();
  EXPECT_FALSE(launch.is_mpi);
  EXPECT_FALSE(launch.is_stray_task);
}

TEST(Launch, ByEachLauncher) {
  for (const auto& [variables, named] :
       {std::pair{Variables{{"OMPI_COMM_WORLD_RANK", "1"}, {"OMPI_COMM_WORLD_SIZE", "3"}, {"PMIX_RANK", "1"}},
                  "OMPI_COMM_WORLD_SIZE"},
        std::pair{Variables{{"PMIX_RANK", "1"}, {"SLURM_STEP_NUM_TASKS", "3"}}, "SLURM_STEP_NUM_TASKS"},
        std::pair{Variables{{"PMI_RANK", "1"}, {"PMI_SIZE", "3"}}, "PMI_SIZE"},
        std::pair{Variables{{"MV2_COMM_WORLD_RANK", "1"}, {"MV2_COMM_WORLD_SIZE", "3"}},
                  "MV2_COMM_WORLD_SIZE"}}) {
    const LaunchedBy launcher(variables);
    const Launch launch = detect_launch();
    EXPECT_TRUE(launch.is_mpi);
    EXPECT_EQ(launch.rank, 1);
    EXPECT_EQ(launch.ranks, 3);
    EXPECT_STREQ(launch.ranks_variable, named);
  }
}

// A rank inherits the variables of the outer launcher: mpirun within MPICH's mpiexec, srun within either.
TEST(Launch, TheLauncherThatOpenMpiKnowsCounts) {
  {
    const LaunchedBy both(
        {{"PMI_RANK", "7"}, {"PMI_SIZE", "8"}, {"OMPI_COMM_WORLD_RANK", "1"}, {"OMPI_COMM_WORLD_SIZE", "2"}});
    EXPECT_EQ(detect_launch().ranks, 2);
  }
  const LaunchedBy both(
      {{"PMI_RANK", "7"}, {"PMI_SIZE", "8"}, {"PMIX_RANK", "1"}, {"SLURM_STEP_NUM_TASKS", "2"}});
  EXPECT_EQ(detect_launch().ranks, 2);
}

TEST(Launch, TheNumberOfRanksMayBeUnknown) {
  const LaunchedBy other(Variables{{"PMIX_RANK", "1"}});
  const Launch launch = detect_launch();
  EXPECT_TRUE(launch.is_mpi);
  EXPECT_EQ(launch.ranks_variable, nullptr);
}

TEST(Launch, TasksOfSrunThatMpiDoesNotKnow) {
  const LaunchedBy srun(Variables{{"SLURM_STEP_NUM_TASKS", "2"}, {"SLURM_PROCID", "1"}});
  const Launch launch = detect_launch();
  EXPECT_TRUE(launch.is_stray_task);
  EXPECT_EQ(launch.rank, 1);
}

}  // namespace
}  // namespace loadshare
