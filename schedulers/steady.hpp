#pragma once

#include <vector>

#include "base/statistics.hpp"
#include "schedulers/chunk_scheduler.hpp"
#include "schedulers/table.hpp"
#include "schedulers/workers.hpp"

namespace loadshare {

class Steady final : public ChunkScheduler {
 public:
  explicit Steady(const LoopFacts& loop);

  Cut next(const Request& request) override;
  void assigned(WorkerId worker, Chunk chunk) override;
  void reclaimed(WorkerId worker, Chunk chunk) override;
  void completed(const ChunkTimes& times) override;
  void joined(WorkerId worker, const WorkerFacts& facts) override;
  void left(WorkerId worker) override;
  Learned learned() const override;

 private:
  struct Worker {
    double weight = 0;  // 0: not here
    double rate = 0;    // iterations a second; 0: not known
    double iterations = 0, seconds = 0;
    double window = 1;
    double last_rate = 0;
    double held = 0;
    double chunks = 0;
    double since_s = 0;
    double speed = 0;
  };

  double speed_of(const Worker& worker) const { return worker.rate > 0 ? worker.rate : worker.weight * scale(); }
  double scale() const { return known_weights_.value() > 0 ? rates_.value() / known_weights_.value() : 0; }
  double chunk_s(double rest_s) const;
  void set_rate(Worker& worker, double rate);
  void set_weight(Worker& worker, double weight);
  void learn_overhead(const ChunkTimes& times);
  void busy(Worker& worker, double since_s);

  Crowd crowd_;
  std::vector<Worker> workers_;
  RunningSum weights_;        // of those that are here
  RunningSum known_weights_;  // of those whose rate is known
  RunningSum rates_;
  double here_ = 0;
  double now_s_ = 0;
  LineSums beside_;
  double overhead_s_ = 0;
  double noise_s_ = 0, noises_ = 0;
  RunningSum busy_speeds_, busy_since_;
};

SchedulerEntry steady_entry();

}  // namespace loadshare
