#include "models/predictor/chunk_costs.hpp"

#include <cmath>

#include "models/predictor/random.hpp"

namespace loadshare::predictor {

ChunkCosts::ChunkCosts(const Scenario& scenario)
    : scenario_(scenario), has_scatter_(scenario.scatter.is_any()) {
  const ChunkBytes& bytes = scenario.bytes;
  for (const auto& costs : scenario.links) {
    orders_.emplace_back(*costs, bytes.order, bytes.input_each);
    reports_.emplace_back(*costs, bytes.report, bytes.result_each);
  }
}

double ChunkCosts::deviation(Index size, std::mt19937_64& random) const {
  const double sigma = scenario_.scatter.deviation(size);
  return std::exp(sigma * normal(random) - sigma * sigma / 2);
}

}  // namespace loadshare::predictor
