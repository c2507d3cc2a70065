#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "apps/loadshare/surroundings.hpp"

namespace loadshare::tool {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(ProcessorTimes, AreReadFromTheKernelsLines) {
  const LoadSample sample = parse_processor_times("cpu  10 2 30 4000 50 1 2 7 0 0");
  EXPECT_EQ(sample.busy_ticks, 45);
  EXPECT_EQ(sample.stolen_ticks, 7);
  const auto process = parse_process_times("42 (a (b) c) R 1 42 42 0 -1 4194304 100 0 0 0 70 8 0 0 20 0 1 0");
  EXPECT_EQ(process.name, "a (b) c");
  EXPECT_EQ(process.ticks, 78);
}

TEST(ProcessorLoad, IsTheDifferenceOfTwoSamples) {
  const LoadSample before{100, 5, {{1, {"init", 10}}, {7, {"burn", 100}}, {8, {"me", 50}}}};
  const LoadSample after{130, 7, {{1, {"init", 10}}, {7, {"burn", 118}}, {8, {"me", 60}}, {9, {"new", 5}}}};
  const ProcessorLoad load = load_between(before, after, 20, 8);
  EXPECT_DOUBLE_EQ(load.busy_cores, 1.5);
  EXPECT_DOUBLE_EQ(load.stolen_cores, 0.1);
  ASSERT_EQ(load.processes.size(), 1u);
  EXPECT_EQ(load.processes[0].name, "burn");
  EXPECT_DOUBLE_EQ(load.processes[0].cores, 0.9);
}

TEST(CpuList, IsReadAsTheKernelWritesIt) {
  EXPECT_THAT(parse_cpu_list("0-3,8"), ElementsAre(0, 1, 2, 3, 8));
  EXPECT_THAT(parse_cpu_list("5"), ElementsAre(5));
  EXPECT_THAT(parse_cpu_list(""), IsEmpty());
  EXPECT_THAT(parse_cpu_list("x,2"), ElementsAre(2));
}

TEST(Environment, IsReadAsTheKernelWritesIt) {
  using namespace std::string_view_literals;
  const auto variables = parse_environment("A=1\0PMIX_RANK=3\0EMPTY=\0junk\0B=x=y\0"sv);
  EXPECT_EQ(variables.size(), 4u);
  EXPECT_EQ(variables.find("PMIX_RANK")->second, "3");
  EXPECT_EQ(variables.find("B")->second, "x=y");
}

TEST(RankPlaces, WithoutAJobThereAreNone) {
  EXPECT_THAT(find_rank_places("", 4), IsEmpty());
  EXPECT_FALSE(allowed_cpus_of("self").empty());
}

}  // namespace
}  // namespace loadshare::tool
