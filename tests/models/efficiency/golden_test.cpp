#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "models/efficiency/figures.hpp"
#include "tests/models/efficiency/made_runs.hpp"

namespace loadshare::granularity::test {
namespace {

using nlohmann::json;

RunTimes run_of(const json& example) {
  std::vector<Parts> ranks;
  for (std::size_t i = 0; i < example["Tcomp"].size(); ++i)
    ranks.push_back({example["Tcomp"][i], example["Tcomm"][i], example["Tidle"][i], 0});
  return made_run(example["Tp"], ranks);
}

Knowledge knowledge_of(const json& example) {
  Knowledge knowledge;
  if (!example.contains("S")) return knowledge;
  knowledge.speed_source = SpeedSource::given;
  knowledge.given_speeds = example["S"].get<std::vector<double>>();
  knowledge.reference_speed = example["S1"].get<double>();
  return knowledge;
}

void expect_equal(const Figure& figure, const json& expected) {
  ASSERT_TRUE(figure);
  const auto value = expected.get<double>();
  EXPECT_NEAR(*figure, value, 1e-12 * std::abs(value));
}

TEST(Golden, ExamplesAreReproduced) {
  const json examples = json::parse(std::ifstream(LOADSHARE_TEST_DATA "/granularity_examples.json"));
  ASSERT_EQ(examples.size(), 5U);
  for (const json& example : examples) {
    SCOPED_TRACE(example.dump());
    const Figures figures = figures_of(run_of(example), knowledge_of(example));
    expect_equal(figures.granularity, example["G"]);
    expect_equal(figures.efficiency, example["E"]);
    expect_equal(figures.speedup, example["speedup"]);
    expect_equal(figures.parallel_efficiency, example["POP"]["parallel_eff"]);
    expect_equal(figures.load_balance, example["POP"]["load_balance"]);
    expect_equal(figures.communication_efficiency, example["POP"]["comm_eff"]);
    if (!example.contains("S")) continue;
    expect_equal(figures.virtual_processors, example["VP"]);
    expect_equal(figures.sequential_on_reference_s, example["Tseq_est_on_S1"]);
    expect_equal(figures.speedup_h, example["Speedup_H"]);
    expect_equal(figures.efficiency_h, example["E_H"]);
  }
}

}  // namespace
}  // namespace loadshare::granularity::test
