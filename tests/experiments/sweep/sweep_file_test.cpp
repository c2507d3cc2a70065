#include "experiments/sweep/sweep_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/sweep/settings.hpp"
#include "experiments/yaml/document.hpp"
#include "tests/experiments/sweep/sample_sweep.hpp"

namespace loadshare::sweep {
namespace {

TEST(Layers, TheTopmostCounts) {
  Layers layers;
  layers.lay(yaml::read("repeat: 30\noptions: {size: 720, kernel: naive}\n", "f").map());
  layers.lay(yaml::read("repeat: 3\noptions: {seed: 1, size: 300}\n", "f").map());
  EXPECT_EQ(layers.find("repeat")->integer(), 3);
  EXPECT_FALSE(layers.find("load"));
  std::string text;
  for (const auto& [name, value] : layers.merged("options")) text += name + "=" + value.text() + " ";
  EXPECT_EQ(text, "size=300 kernel=naive seed=1 ");
}

TEST(SweepFile, HasSensibleDefaults) {
  const SweepSpec spec = sweep_of("");
  EXPECT_EQ(spec.seed, 1u);
  const Experiment& experiment = spec.experiments.at(0);
  EXPECT_EQ(experiment.title, "e");
  EXPECT_EQ(experiment.program, "matmul");
  EXPECT_EQ(experiment.launch.with, LaunchKind::in_process);
  EXPECT_EQ(experiment.launch.timeout_s, 600);
  EXPECT_EQ(experiment.repeat.at_least, 10);
  EXPECT_TRUE(experiment.repeat.is_fixed());
  EXPECT_EQ(experiment.points.size(), 1u);
  EXPECT_FALSE(experiment.compare);
}

TEST(SweepFile, AnExperimentOverridesKeyByKey) {
  const SweepSpec spec =
      sweep_of("    options: {size: 300}\n    launch: {ranks: 4}\n    repeat: 5\n",
               "options: {kernel: naive, size: 720}\nlaunch: {with: mpirun, ranks: 9}\nrepeat: 30\n");
  const Experiment& experiment = spec.experiments.at(0);
  ASSERT_EQ(experiment.options.size(), 2u);
  EXPECT_EQ(experiment.options[0].second.text, "naive");
  EXPECT_EQ(experiment.options[1].second.text, "300");
  EXPECT_EQ(experiment.launch.with, LaunchKind::mpirun);
  EXPECT_EQ(experiment.launch.ranks, 4);
  EXPECT_EQ(experiment.repeat.at_most, 5);
}

TEST(SweepFile, ReducedLiesOnTopOfAll) {
  constexpr const char* file = "repeat: 30\nreduced: {repeat: 3, options: {size: 100}}\n";
  constexpr const char* keys =
      "    repeat: 20\n    options: {size: 720}\n    matrix: {scheduler: [send, gss, tss]}\n"
      "    reduced: {matrix: {scheduler: [send, gss]}}\n";
  const Experiment full = sweep_of(keys, file).experiments.at(0);
  EXPECT_EQ(full.repeat.at_most, 20);
  EXPECT_EQ(full.options[0].second.text, "720");
  EXPECT_EQ(full.points.size(), 3u);
  const Experiment reduced = sweep_of(keys, file, Setting::reduced).experiments.at(0);
  EXPECT_EQ(reduced.repeat.at_most, 3);
  EXPECT_EQ(reduced.options[0].second.text, "100");
  EXPECT_EQ(reduced.points.size(), 2u);
}

TEST(SweepFile, PointsAreMatrixTimesZipWithoutExcluded) {
  const SweepSpec spec = sweep_of(
      "    matrix: {scheduler: [\"send:3\", \"gss:14\"]}\n"
      "    zip: {master: [works, coordinates, coordinates], master-rank: [0, 0, 6]}\n"
      "    exclude: [{scheduler: \"send:3\", master: coordinates}]\n"
      "    compare: scheduler\n    baseline: \"gss:14\"\n");
  std::vector<std::string> ids;
  for (const Point& point : spec.experiments.at(0).points) ids.push_back(point.id);
  EXPECT_THAT(ids, testing::ElementsAre("e/master=works/master-rank=0/scheduler=send:3",
                                        "e/master=works/master-rank=0/scheduler=gss:14",
                                        "e/master=coordinates/master-rank=0/scheduler=gss:14",
                                        "e/master=coordinates/master-rank=6/scheduler=gss:14"));
  EXPECT_EQ(spec.experiments[0].baseline->text, "gss:14");
}

TEST(SweepFile, RanksOfALaunchMayBeAnAxis) {
  for (const char* kind : {"matrix", "zip"}) {
    const SweepSpec spec =
        sweep_of("    launch: {with: mpirun}\n    " + std::string(kind) + ": {ranks: [1, 2]}\n");
    EXPECT_EQ(spec.experiments.at(0).points.size(), 2u);
    EXPECT_FALSE(spec.experiments[0].launch.ranks);
  }
}

TEST(SweepFile, AnEmptyMatrixIsOnePoint) {
  EXPECT_EQ(sweep_of("    matrix: {}\n").experiments.at(0).points.size(), 1u);
}

TEST(SweepFile, AStopRuleNeedsSixRuns) {
  const Repeat repeat =
      sweep_of("    repeat: {at-least: 5, at-most: 30, within: 2%}\n").experiments.at(0).repeat;
  EXPECT_EQ(repeat.at_least, 6) << "five have no interval";
  EXPECT_EQ(repeat.at_most, 30);
  EXPECT_DOUBLE_EQ(repeat.within, 0.02);
  EXPECT_EQ(sweep_of("    repeat: {times: 4}\n").experiments.at(0).repeat.at_most, 4);
}

TEST(SweepFile, AMarginMayBeTheFilesOrTheExperiments) {
  EXPECT_DOUBLE_EQ(sweep_of("    repeat: 2\n").experiments.at(0).equal_within, 0.03);
  EXPECT_DOUBLE_EQ(sweep_of("    repeat: 2\n", "equal-within: 5%\n").experiments.at(0).equal_within, 0.05);
  EXPECT_DOUBLE_EQ(sweep_of("    equal-within: 1%\n", "equal-within: 5%\n").experiments.at(0).equal_within,
                   0.01);
  EXPECT_DOUBLE_EQ(
      sweep_of("    reduced: {equal-within: 10%}\n", "", Setting::reduced).experiments.at(0).equal_within,
      0.1);
}

TEST(SweepFile, ALabIsMeantFromTheFilesFolder) {
  const std::string text = sweep_text("    launch: {with: lab, lab: labs/now.yaml}\n");
  const SweepSpec spec =
      read_sweep(yaml::read(text, "experiments/f.yaml"), Setting::full, built_in_schedulers());
  EXPECT_EQ(spec.experiments.at(0).launch.lab_file, "experiments/labs/now.yaml");
}

TEST(SweepFile, OtherProgramsMayHaveTheirOwnSchedulers) {
  EXPECT_EQ(sweep_of("    program: mine\n    matrix: {scheduler: [ours]}\n").experiments.at(0).points.size(),
            1u);
  EXPECT_THROW(sweep_of("    matrix: {scheduler: [ours]}\n"), UsageError);
}

}  // namespace
}  // namespace loadshare::sweep
