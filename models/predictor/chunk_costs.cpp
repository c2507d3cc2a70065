#include "models/predictor/chunk_costs.hpp"

#include <cmath>

#include "models/predictor/random.hpp"

namespace loadshare::predictor {

ChunkCosts::ChunkCosts(const Scenario& scenario) : scenario_(scenario) {
  for (const auto& costs : scenario.links) {
    orders_.emplace_back(*costs);
    reports_.emplace_back(*costs);
  }
}

double ChunkCosts::work_s(std::uint32_t worker, const Chunk& chunk, std::mt19937_64& random) const {
  const WorkerModel& model = scenario_.workers[worker];
  const double work_s =
      scenario_.loop.seconds(chunk) * scenario_.widths[model.width].at(chunk.size) / model.speed;
  if (scenario_.chunk_deviation <= 0) return work_s;
  return work_s * std::exp(scenario_.chunk_deviation * normal(random));
}

}  // namespace loadshare::predictor
