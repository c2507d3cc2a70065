#include "models/farm/farm_model.hpp"

#include <gtest/gtest.h>

namespace loadshare::predictor {
namespace {

/// Two chunks of a loop of eight iterations, each of so much work, that took 0.01 s of processor time.
RunRecord run_of_work(double each) {
  RunRecord run;
  run.iterations = 8;
  run.makespan_s = 0.08;
  run.loop.emplace();
  run.loop->work.assign(8, each);
  RankRecord rank;
  rank.host = "a";
  rank.role = Role::working_master;
  rank.worker = WorkerId{0};
  run.ranks.push_back(rank);
  for (Index first = 0; first < 8; first += 4) {
    ChunkRecord chunk;
    chunk.chunk = {first, 4};
    chunk.begun_s = 0.01 * static_cast<double>(first);
    chunk.ended_s = chunk.begun_s + 0.04;
    chunk.cpu_s = 0.04;
    run.chunks.push_back(chunk);
  }
  return run;
}

TEST(FarmModelTest, CostsDoNotDependOnTheUnitOfWork) {
  for (const double each : {1.0, 1e-3, 250.0}) {
    const RunRecord run = run_of_work(each);
    const FarmModel model = fit_farm({&run, 1});
    FarmSetting setting;
    setting.hosts.emplace_back().name = "a";
    EXPECT_NEAR(make_scenario(model, setting, {}, 0).loop.total_s(), 0.08, 1e-9) << each;
  }
}

}  // namespace
}  // namespace loadshare::predictor
