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
  double work_s(std::uint32_t worker, const Chunk& chunk, std::mt19937_64& random) const {
    const WorkerModel& model = scenario_.workers[worker];
    const double work_s =
        scenario_.loop.seconds(chunk) * scenario_.widths[model.width].at(chunk.size) / model.speed;
    return has_scatter_ ? work_s * deviation(chunk.size, random) : work_s;
  }

  // Of workers that have a link.
  const Price& order(const WorkerModel& worker, const Chunk& chunk) {
    return orders_[*worker.link].price(chunk.size, worker.notice_s);
  }
  const Price& report(const WorkerModel& worker, const Chunk& chunk) {
    return reports_[*worker.link].price(chunk.size, scenario_.master.far.notice_s);
  }

 private:
  double deviation(Index size, std::mt19937_64& random) const;

  const Scenario& scenario_;
  bool has_scatter_;
  std::vector<PricedLink> orders_;  // by link
  std::vector<PricedLink> reports_;
};

}  // namespace loadshare::predictor
