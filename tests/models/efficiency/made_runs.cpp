#include "tests/models/efficiency/made_runs.hpp"

namespace loadshare::granularity::test {

RunTimes made_run(double run_s, const std::vector<Parts>& ranks) {
  RunTimes run;
  run.program = "made";
  run.run_s = run_s;
  for (const Parts& parts : ranks) {
    RankTimes rank;
    rank.rank = static_cast<int>(run.ranks.size());
    rank.host = "node" + std::to_string(run.ranks.size());
    rank.computing_s = parts.computing_s;
    rank.communicating_s = parts.communicating_s;
    rank.idle_s = parts.idle_s;
    rank.stolen_s = parts.stolen_s;
    run.ranks.push_back(rank);
  }
  return run;
}

RunTimes random_run(std::mt19937& random) {
  std::uniform_real_distribution<double> weight(0.01, 1);
  const double run_s = 100 * weight(random);
  std::vector<Parts> ranks(1 + random() % 9);
  for (Parts& parts : ranks) {
    parts = {weight(random), weight(random), weight(random), weight(random)};
    const double scale = run_s / (parts.computing_s + parts.communicating_s + parts.idle_s + parts.stolen_s);
    for (double* part_s : {&parts.computing_s, &parts.communicating_s, &parts.idle_s, &parts.stolen_s})
      *part_s *= scale;
  }
  return made_run(run_s, ranks);
}

}  // namespace loadshare::granularity::test
