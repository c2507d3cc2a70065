#include "apps/loadshare/profile.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

namespace loadshare::tool {
namespace {

using testing::ElementsAre;

const std::map<std::string, std::string> variables{{"LD_PRELOAD", "ours.so"}, {"OUT", "file"}};

std::vector<std::string> profiled_words(const std::vector<std::string>& words) {
  return profiled(words, variables).words;
}

TEST(ProfiledCommand, GivesEveryProgramOfMpirunTheVariables) {
  EXPECT_THAT(profiled_words({"env", "mpirun", "-np", "1", "a", ":", "b"}),
              ElementsAre("env", "mpirun", "-x", "LD_PRELOAD=ours.so", "-x", "OUT=file", "-np", "1", "a", ":",
                          "-x", "LD_PRELOAD=ours.so", "-x", "OUT=file", "b"));
}

TEST(ProfiledCommand, KeepsWhatTheUserPreloads) {
  EXPECT_THAT(profiled_words({"mpirun", "-x", "A=1", "-x", "LD_PRELOAD=theirs.so", "a", ":", "b"}),
              ElementsAre("mpirun", "-x", "LD_PRELOAD=ours.so:theirs.so", "-x", "OUT=file", "-x", "A=1", "a",
                          ":", "-x", "LD_PRELOAD=ours.so", "-x", "OUT=file", "b"));
  EXPECT_THAT(profiled_words({"mpirun", "-x", "LD_PRELOAD", "a"}),
              ElementsAre("mpirun", "-x", "LD_PRELOAD=ours.so", "-x", "OUT=file", "a"));
  EXPECT_THAT(profiled_words({"mpirun", "-x", "LD_PRELOADED=1", "a", "LD_PRELOAD=1"}),
              ElementsAre("mpirun", "-x", "LD_PRELOAD=ours.so", "-x", "OUT=file", "-x", "LD_PRELOADED=1", "a",
                          "LD_PRELOAD=1"));
}

TEST(ProfiledCommand, WithoutMpirunTheEnvironmentHasThem) {
  const ProfiledCommand command = profiled({"prog", "-x", "LD_PRELOAD=x"}, variables);
  EXPECT_THAT(command.words, ElementsAre("prog", "-x", "LD_PRELOAD=x"));
  EXPECT_EQ(command.environment, variables);
}

TEST(ProfiledCommand, MayRunElsewhereWhereItsMpirunIsToldHosts) {
  EXPECT_FALSE(may_run_elsewhere({"mpirun", "-np", "2", "prog"}));
  EXPECT_TRUE(may_run_elsewhere({"mpirun", "-np", "1", "a", ":", "--host", "other", "b"}));
  EXPECT_TRUE(may_run_elsewhere({"env", "mpirun", "--default-hostfile", "hosts", "prog"}));
  EXPECT_FALSE(may_run_elsewhere({"prog", "-H", "8"}));
}

TEST(ProfiledCommand, MayRunElsewhereInABatchSystemsJob) {
  setenv("SLURM_JOB_ID", "7", 1);
  EXPECT_TRUE(may_run_elsewhere({"mpirun", "prog"}));
  EXPECT_FALSE(may_run_elsewhere({"prog"}));
  unsetenv("SLURM_JOB_ID");
}

}  // namespace
}  // namespace loadshare::tool
