#include "experiments/sweep/results.hpp"

#include <gmock/gmock.h>

#include "base/error.hpp"
#include "tests/experiments/sweep/temporary_folder.hpp"

namespace loadshare::sweep {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

constexpr const char* manifest = R"({"schema":1,"experiments":[
  {"name":"e","title":"All","axes":[{"name":"ranks","values":[1,2],"walk":0}],"compare":null,"baseline":null,
   "points":[{"id":"e/ranks=1","parameters":{"ranks":1}},{"id":"e/ranks=2","parameters":{"ranks":2}}]},
  {"name":"later","points":[{"id":"later","parameters":{}}]}]})";

std::string run_line(const std::string& point, int repetition, const std::string& rest) {
  return R"({"point":")" + point + R"(","repetition":)" + std::to_string(repetition) + "," + rest + "}\n";
}

std::string good_line_of(const std::string& point, int repetition, const std::string& record) {
  return run_line(point, repetition, R"("status":"ok","record":{)" + record + "}");
}

std::vector<MeasuredExperiment> results_of(const std::string& runs) {
  const TemporaryFolder folder;
  write_text(folder.file("sweep.json"), manifest);
  write_text(folder.file("runs.jsonl"), runs);
  return read_results(folder.file("."));
}

TEST(Results, ContainTheTimesOfSuccessfulRuns) {
  const auto results = results_of(
      good_line_of("e/ranks=1", 0, R"("makespan_s":2)") +
      good_line_of("e/ranks=1", 1, R"("makespan_s":3,"verified":false)") +
      good_line_of("e/ranks=1", 2, R"("makespan_s":0)") +
      run_line("e/ranks=1", 3, R"("status":"failed","record":null)") + "damaged\n" +
      good_line_of("e/ranks=1", 4, R"("makespan_s":4)") + good_line_of("e/ranks=1", 4, R"("makespan_s":5)") +
      good_line_of("elsewhere", 0, R"("makespan_s":2)") + R"({"point":"e/ranks=1","repe)");
  ASSERT_EQ(results.size(), 1u) << "of the other nothing ran";
  EXPECT_EQ(results[0].title, "All");
  EXPECT_EQ(results[0].along, "ranks") << "the only axis";
  EXPECT_THAT(results[0].points.at(0).times_s, ElementsAre(Pair(0, 2), Pair(4, 5)));
  EXPECT_THAT(results[0].points.at(1).times_s, IsEmpty());
}

TEST(Results, ContainTheTimeOfOtherPrograms) {
  const std::string whole =
      R"("makespan_s":2,"load":null,"ranks":[{"stolen_s":0.2},{"stolen_s":0.6,"capacity":1}])";
  const std::string part = R"("makespan_s":2,"load":null,"ranks":[{"stolen_s":0.2,"capacity":0.3}])";
  const std::string loaded = R"("makespan_s":2,"load":{"spec":"on=1s"},"ranks":[{"stolen_s":0.2}])";
  const auto results =
      results_of(good_line_of("e/ranks=1", 0, whole) + good_line_of("e/ranks=1", 1, part) +
                 good_line_of("e/ranks=1", 2, loaded) + good_line_of("e/ranks=1", 3, R"("makespan_s":2)"));
  EXPECT_THAT(results.at(0).points.at(0).stolen, ElementsAre(testing::DoubleEq(0.2)));
}

MeasuredExperiment experiment_with(const std::string& fields) {
  const TemporaryFolder folder;
  write_text(folder.file("sweep.json"),
             R"({"schema":1,"experiments":[{"name":"e",)" + fields + R"("points":[]}]})");
  return read_experiments(folder.file(".")).at(0);
}

TEST(Results, ContainTheParametersOfTheJudgement) {
  EXPECT_DOUBLE_EQ(experiment_with("").error, 0.05);
  EXPECT_DOUBLE_EQ(experiment_with("").equal_within, 0.03) << "of older versions";
  EXPECT_DOUBLE_EQ(experiment_with(R"("equal-within":0.1,)").equal_within, 0.1);
  EXPECT_DOUBLE_EQ(experiment_with(R"("repeat":{"times":7},)").error, 0.05);
  EXPECT_DOUBLE_EQ(
      experiment_with(R"("repeat":{"at-least":6,"at-most":30,"within":0.02,"looks":[9,14,21,30]},)").error,
      0.05 / 4);
  EXPECT_DOUBLE_EQ(experiment_with(R"("repeat":{"at-least":2,"at-most":30,"within":0.02},)").error, 0.05 / 25)
      << "older versions looked after each run";
  EXPECT_THROW(experiment_with(R"("equal-within":0,)"), UsageError);
  EXPECT_THROW(experiment_with(R"("equal-within":-0.03,)"), UsageError);
}

TEST(Results, AreOfASweepsFolder) {
  const TemporaryFolder folder;
  EXPECT_THROW(read_results(folder.file(".")), Error);
  write_text(folder.file("sweep.json"), "[]");
  EXPECT_THROW(read_results(folder.file(".")), UsageError);
}

}  // namespace
}  // namespace loadshare::sweep
