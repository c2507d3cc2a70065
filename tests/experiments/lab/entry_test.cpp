#include "experiments/lab/entry.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/experiments/lab/sample_lab.hpp"

namespace loadshare::lab {
namespace {

TEST(LauncherMessages, OnlyTheRaceForTheProcessGroupIsHarmless) {
  EXPECT_TRUE(
      is_harmless("[switch:21316] plm:rsh: Warning: setpgid(21326,21326) failed in parent with "
                  "errno=Permission denied(13)\n"));
  EXPECT_FALSE(is_harmless("mpirun was unable to find the specified executable file, and therefore\n"));
  EXPECT_FALSE(is_harmless("\n"));
}

using Words = std::vector<std::string>;

const LaunchPaths paths{"/bin/agent", "/run/tmp"};

std::string launch(const Words& words) {
  return fmt::format("{}", fmt::join(lab_launch(words, sample_lab(), paths), " "));
}

/// Returns the words after the options that are always added.
std::string end_of_launch(const Words& words) {
  const std::string line = launch(words);
  const std::string last_fixed = "--mca oob_tcp_if_include 10.208.0.0/24 ";
  return line.substr(line.find(last_fixed) + last_fixed.size());
}

TEST(MpirunWords, KnowsOpenMpisLaunchersByName) {
  EXPECT_TRUE(is_launcher("mpirun"));
  EXPECT_TRUE(is_launcher("/usr/bin/mpiexec"));
  EXPECT_TRUE(is_launcher("orterun"));
  EXPECT_TRUE(is_launcher("mpirun.openmpi"));
  EXPECT_FALSE(is_launcher("mpirun.sh"));
  EXPECT_FALSE(is_launcher("/mpirun/hostname"));
}

TEST(MpirunWords, HostsAreNamedInWordsOrFiles) {
  for (const char* option :
       {"-H", "--host", "-hostfile", "--machinefile", "--default-hostfile", "-rf", "--app"})
    EXPECT_TRUE(may_name_hosts({"mpirun", "-np", "1", option, "x", "prog"})) << option;
  EXPECT_FALSE(may_name_hosts({"mpirun", "-np", "1", "prog", "host"}));
}

TEST(MpirunWords, OneRankAHostInTheFilesOrder) {
  EXPECT_EQ(launch({"mpirun", "matmul", "--size", "720"}),
            "mpirun --leave-session-attached --mca plm rsh --mca plm_rsh_agent /bin/agent shell pair "
            "--mca plm_rsh_no_tree_spawn 1 --mca orte_fork_agent /bin/agent rank pair "
            "--mca orte_tmpdir_base /run/tmp "
            "--mca pml ob1 --mca btl tcp,self --mca btl_tcp_if_include 10.208.0.0/24 "
            "--mca oob_tcp_if_include 10.208.0.0/24 "
            "--host slow,fast -np 2 --bind-to none matmul --size 720");
}

TEST(MpirunWords, MoreRanksThanHostsWhereTheOptionsSaySo) {
  for (const Words& options : {Words{"--oversubscribe"}, Words{"-oversubscribe"},
                               Words{"--map-by", "node:OVERSUBSCRIBE"}, Words{"-q", "--host", "slow:4"}})
    EXPECT_TRUE(allows_more_ranks(options)) << options.back();
  EXPECT_FALSE(allows_more_ranks({}));
  EXPECT_FALSE(allows_more_ranks({"--bind-to", "none", "-x", "A"}));
}

TEST(MpirunWords, AgentsAreOneWordEach) {
  const Words words = lab_launch({"mpirun", "x"}, sample_lab(), paths);
  EXPECT_EQ(std::ranges::count(words, "/bin/agent shell pair"), 1);
  EXPECT_EQ(std::ranges::count(words, "/bin/agent rank pair"), 1);
}

TEST(MpirunWords, TheUsersOwnRanksAndHostsStand) {
  EXPECT_EQ(end_of_launch({"mpirun", "-np", "1", "x"}), "--host slow,fast --bind-to none -np 1 x");
  EXPECT_EQ(end_of_launch({"mpirun", "--mca", "a", "b", "--host", "fast", "x"}),
            "--bind-to none --mca a b --host fast x");
  EXPECT_EQ(end_of_launch({"mpirun", "--bind-to", "none", "x"}), "--host slow,fast -np 2 --bind-to none x");
}

TEST(MpirunWords, TheProgramsOptionsAreNotMpiruns) {
  EXPECT_EQ(end_of_launch({"mpirun", "-x", "A", "-q", "x", "-np", "1", "--host", "h"}),
            "--host slow,fast -np 2 --bind-to none -x A -q x -np 1 --host h");
}

}  // namespace
}  // namespace loadshare::lab
