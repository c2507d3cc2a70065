#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "models/predictor/priced_link.hpp"
#include "models/predictor/scenario.hpp"

namespace loadshare::predictor {

/// What a chunk costs a worker of a scenario: computing, and its messages.
class ChunkCosts {
 public:
  /// `scenario` must outlive it.
  explicit ChunkCosts(const Scenario& scenario);

  /// Seconds of the worker's processor when it is undisturbed, with a deviation of its own.
  double work_s(std::uint32_t worker, const Chunk& chunk, std::mt19937_64& random) const;

  // Of workers that have a link.
  const Price& order(std::uint32_t worker, const Chunk& chunk) {
    const WorkerModel& model = scenario_.workers[worker];
    return orders_[*model.link].price(scenario_.bytes.order, input_bytes(chunk), model.notice_s);
  }
  const Price& report(std::uint32_t worker, const Chunk& chunk) {
    const WorkerModel& model = scenario_.workers[worker];
    return reports_[*model.link].price(scenario_.bytes.report, result_bytes(chunk),
                                       scenario_.master.notice_s);
  }
  double input_bytes(const Chunk& chunk) const {
    return scenario_.bytes.input_each * static_cast<double>(chunk.size);
  }
  double result_bytes(const Chunk& chunk) const {
    return scenario_.bytes.result_each * static_cast<double>(chunk.size);
  }

 private:
  const Scenario& scenario_;
  std::vector<PricedLink> orders_;  // by link
  std::vector<PricedLink> reports_;
};

}  // namespace loadshare::predictor
