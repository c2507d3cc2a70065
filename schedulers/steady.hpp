#pragma once

#include <vector>

#include "base/statistics.hpp"
#include "schedulers/chunk_scheduler.hpp"
#include "schedulers/table.hpp"
#include "schedulers/techniques.hpp"
#include "schedulers/workers.hpp"

namespace loadshare {

/// Steady: sizes chunks by their predicted time, from rates averaged over the whole run. A chunk takes half
/// of the remaining time, or less if messages would make all other workers wait.
///
/// Choose it if nothing is known about hosts, loads, costs and network: it has no parameter. It was developed
/// in this project for a question that the load-sharing paper left open: whether adapting the granularity is
/// useful under changing load, "and if so, what type algorithms". A rate from the latest chunk follows each
/// phase of a load, but the phase has often changed when the next chunk is computed. A mean over more than
/// one period of the load does not have this problem. experiments/techniques compares it with all other
/// techniques.
///
/// R is the number of iterations not yet given out and v_i worker i's rate: its iterations over their time
/// without the overhead h. T = R / sum(v) is the remaining time. Worker i gets v_i d iterations, where
///
///     d = min(T, max(min(T, sqrt(k T / u)) / 2, 3 k)), k = h + 1 / (2 v_i)
///
/// - T / 2 is the half of factoring (Hummel, Schonberg and Flynn 1992), with rates as in adaptive weighted
///   factoring (`awf`), but evaluated at each request and with R shared by all workers.
/// - The second term limits messages, whose part u of the chunks' times grows with their size. A farm with m
///   chunks per worker loses m h to overhead. It loses about u T / m because all workers wait for first
///   inputs and last results. The sum is smallest for m of the order of sqrt(u T / h). (Kruskal and Weiss's
///   `fsc` balances overhead against variation; this balances it against the network.)
/// - Half an iteration is added to h because narrow chunks have a higher overhead.
/// - A chunk shorter than 3 k costs more than it balances.
///
/// A worker's first chunk is an eighth of its share by weight; every second worker gets a quarter of that.
/// The sizes must differ because h and u come from a line through the chunks' overheads over their sizes.
/// First chunks, which all wait for each other, count a tenth in that line. No chunk is larger than the
/// number of iterations its worker has completed. If a worker may hold several chunks (prefetch), v_i d is
/// divided among them. `learned()` returns the rates and the line, so that the next run of the same loop
/// needs no first chunks.
class Steady final : public ChunkScheduler {
 public:
  explicit Steady(const LoopFacts& loop);

  Cut next(const Request& request) override;
  void assigned(WorkerId worker, Chunk chunk) override;
  void reclaimed(WorkerId worker, Chunk chunk) override { take(worker, chunk); }
  /// Ignores a response time that is not positive and finite, because it gives no rate.
  void completed(const ChunkTimes& times) override;
  void joined(WorkerId worker, const WorkerFacts& facts) override;
  /// Forgets the worker's measurements; if it comes back, it is measured again.
  void left(WorkerId worker) override;
  /// Returns each worker's rate, and the overhead of chunks.
  Learned learned() const override;

 private:
  struct Worker {
    double weight = 0;  // 0: not present
    double rate = 0;    // iterations per second; 0: unknown
    double iterations = 0, seconds = 0;
    Index held = 0;  // iterations, in `chunks` chunks
    Index chunks = 0;
    Index window = 1;  // maximum number of chunks that it holds
    bool has_returned = false;
  };

  Worker& present(WorkerId worker);
  void take(WorkerId worker, Chunk chunk);
  void set_weight(Worker& worker, double weight);
  void set_rate(Worker& worker, double rate);
  void begin_with(const Learned::Overhead& overhead);
  void learn_overhead(const ChunkTimes& times, double response_s);
  void weigh_messages();
  double mean_weight() const { return expected_ > 0 ? expected_ : weights_.value() / present_; }
  double first_size(const Worker& worker, double remaining) const;
  double later_size(const Worker& worker, double remaining) const;
  double all_rates() const;
  double duration_s(double left_s, double rate) const;

  Crowd crowd_;
  std::vector<Worker> workers_;
  double expected_ = 0;  // mean of all weights, if known before workers join
  double present_ = 0;
  RunningSum weights_;        // of present workers
  RunningSum known_weights_;  // of present workers with a known rate
  RunningSum rates_;
  LineSums overheads_;        // seconds besides computing, over the chunk's size
  double responses_s_ = 0;    // response times of the same chunks
  double overhead_s_ = 0;     // h
  double message_share_ = 0;  // u
};

/// Returns the table entry of `steady`.
SchedulerEntry steady_entry();

}  // namespace loadshare
