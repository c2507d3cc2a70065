#pragma once

#include <vector>

#include "schedulers/chunk_scheduler.hpp"
#include "schedulers/table.hpp"
#include "schedulers/workers.hpp"

namespace loadshare {

/// Bold: chunks larger than seems safe, because what one worker is late others make up for while there is
/// enough left.
///
/// Choose it where mean, deviation and overhead are known and overhead matters: in its author's experiments
/// it wasted less time than any other technique of these data.
///
/// Hagerup, "Allocating independent tasks to parallel processors: an experimental study", J. Parallel and
/// Distributed Computing 47(2), 1997. Constants: a = 2 (sigma / mu)^2, b = 8 a ln(8 a), c1 = h / (mu ln 2),
/// c2 = sqrt(2 pi) c1, c3 = ln c2. Of R iterations that nobody has, M that are not returned and N of them
/// that should not be done yet:
///
///     Q = R / P; if Q <= 1, the chunk is 1
///     r = max(R, N), t = r / P, v = Q / (b + Q), d = R / (1 + 1 / ln Q - v); if d <= c2, it is t
///     s = a (ln d - c3) (1 + M / (r P)), w = ln(v ln Q) + ln b, or ln(ln Q) where b <= 0
///     it is min(t, t + max(0, c1 w) + s / 2 - sqrt(s (t + s / 4)))
///
/// N counts on every worker doing k iterations in k mu + h. Of a worker that holds several chunks (prefetch),
/// the one that it computes counts, as long as their mean. Rounded up; LB4OMP rounds down.
/// Without deviation a = b = 0, and the chunk is t.
class Bold final : public ChunkScheduler {
 public:
  struct Parameters {
    Index workers = 1;      ///< P; >= 1
    double mu_s = 1;        ///< mean time of an iteration; > 0
    double sigma_s = 0;     ///< its standard deviation; >= 0
    double overhead_s = 1;  ///< h, what a chunk takes beside; > 0
    Index min = 1;          ///< smallest chunk, but for the last; >= 1
    Rounding round = Rounding::up;
  };

  explicit Bold(const Parameters& parameters);

  Cut next(const Request& request) override;
  void assigned(WorkerId worker, Chunk chunk) override;
  void reclaimed(WorkerId worker, Chunk chunk) override;
  void completed(const ChunkTimes& times) override;

 private:
  /// What a worker holds, and since when it computes the first of it.
  struct Worker {
    Index chunks = 0;
    Index iterations = 0;
    double begun_s = 0;
    double speed = 0;  // iterations a second
  };

  double size_of(double remaining, double unreturned) const;
  void take(WorkerId worker, Chunk chunk, double ended_s);
  void renew(Worker& worker, double begun_s);

  Parameters parameters_;
  double per_worker_, a_, b_, ln_b_, c1_, ln_workers_over_c2_;
  double now_s_ = 0;
  std::vector<Worker> workers_;
  RunningSum speeds_;  // of who computes
  RunningSum begins_;  // when each began, times its speed
};

/// The table's line for `bold[:mu,sigma,overhead,min,round]`.
SchedulerEntry bold_entry();

}  // namespace loadshare
