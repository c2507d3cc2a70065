#pragma once

#include <vector>

#include "schedulers/chunk_scheduler.hpp"
#include "schedulers/table.hpp"
#include "schedulers/workers.hpp"

namespace loadshare {

/// Bold: chunks larger than seems safe, because while enough iterations remain, the other workers compensate
/// for one that is late.
///
/// Choose it if mean, deviation and overhead are known and overhead matters. In its author's experiments it
/// wasted less time than any other technique that uses these values.
///
/// Hagerup, "Allocating independent tasks to parallel processors: an experimental study", J. Parallel and
/// Distributed Computing 47(2), 1997. Constants: a = 2 (sigma / mu)^2, b = 8 a ln(8 a), c1 = h / (mu ln 2),
/// c2 = sqrt(2 pi) c1, c3 = ln c2. R iterations are not yet given out, M are not returned, and N of these M
/// should not be finished yet:
///
///     Q = R / P; if Q <= 1, the chunk is 1
///     r = max(R, N), t = r / P, v = Q / (b + Q), d = R / (1 + 1 / ln Q - v); if d <= c2, it is t
///     s = a (ln d - c3) (1 + M / (r P)), w = ln(v ln Q) + ln b, or ln(ln Q) where b <= 0
///     it is min(t, t + max(0, c1 w) + s / 2 - sqrt(s (t + s / 4)))
///
/// N assumes that every worker computes k iterations in k mu + h. If a worker holds several chunks
/// (prefetch), only the one that it computes counts, with their mean size. Sizes are rounded up; LB4OMP
/// rounds down. Without deviation a = b = 0, and the chunk is t.
class Bold final : public ChunkScheduler {
 public:
  struct Parameters {
    Index workers = 1;      ///< P; >= 1
    double mu_s = 1;        ///< mean time of an iteration; > 0
    double sigma_s = 0;     ///< its standard deviation; >= 0
    double overhead_s = 1;  ///< h, time of a chunk besides its iterations; > 0
    Index min = 1;          ///< smallest chunk, except the last; >= 1
    Rounding round = Rounding::up;
  };

  explicit Bold(const Parameters& parameters);

  Cut next(const Request& request) override;
  void assigned(WorkerId worker, Chunk chunk) override;
  void reclaimed(WorkerId worker, Chunk chunk) override;
  void completed(const ChunkTimes& times) override;

 private:
  /// The chunks that a worker holds, and when it began to compute the first of them.
  struct Worker {
    Index chunks = 0;
    Index iterations = 0;
    double begun_s = 0;
    double speed = 0;  // iterations per second
  };

  double size_of(double remaining, double unreturned) const;
  void take(WorkerId worker, Chunk chunk, double ended_s);
  void renew(Worker& worker, double begun_s);

  Parameters parameters_;
  double per_worker_, a_, b_, ln_b_, c1_, ln_workers_over_c2_;
  double now_s_ = 0;
  std::vector<Worker> workers_;
  RunningSum speeds_;  // of workers that compute
  RunningSum begins_;  // begin of each, times its speed
};

/// Returns the table entry of `bold[:mu,sigma,overhead,min,round]`.
SchedulerEntry bold_entry();

}  // namespace loadshare
