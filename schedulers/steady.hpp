#pragma once

#include <vector>

#include "base/statistics.hpp"
#include "schedulers/chunk_scheduler.hpp"
#include "schedulers/table.hpp"
#include "schedulers/techniques.hpp"
#include "schedulers/workers.hpp"

namespace loadshare {

/// Steady: chunks by the time that they will take, at rates that are means over all of the run: half of the
/// time that is left, or less where messages would keep all others waiting.
///
/// Choose it where nothing is known of hosts, loads, costs and network: it has no parameter. It is of this
/// project, for what the load-sharing paper left open (whether adapting the granularity is useful beside
/// loads that come and go, "and if so, what type algorithms"). A rate by the latest chunk follows each
/// phase of a load whose phase has changed by the time that the next chunk is computed; a mean over more than
/// a period of the load does not. experiments/techniques has it beside all others.
///
/// With R the iterations that nobody has, v_i worker i's rate, its iterations over their time beside the
/// overhead h, and T = R / sum(v), the time that is left, worker i gets v_i d iterations, where
///
///     d = min(T, max(min(T, sqrt(k T / u)) / 2, 3 k)), k = h + 1 / (2 v_i)
///
/// T / 2 is factoring's half (Hummel, Schonberg and Flynn 1992), by rates as in adaptive weighted factoring
/// (`awf`), but at each request, and with R shared out by all. The second term is for messages, whose part
/// u of the chunks' times grows with their size: a farm of m chunks a worker loses m h by overhead and, where
/// all wait for first inputs and last results, some u T / m, least at m of the order of sqrt(u T / h). (Where
/// Kruskal and Weiss's `fsc` weighs overhead against scatter, it weighs it against the wire.) Half an
/// iteration is added to h, for chunks are dearer the narrower they are. What takes less than 3 k evens out
/// less than it costs.
///
/// A worker's first chunk is an eighth of its share by its weight, at every second worker a quarter of that:
/// h and u are the line of the chunks' time beside computing over their sizes, which must differ. No chunk is
/// more than what its worker has done. First chunks, which all wait for each other, count a tenth
/// in that line. Who may hold several chunks (prefetch) gets v_i d in as many parts. Rates and the line come
/// back with `learned()`, so that the same loop needs no first chunks again.
class Steady final : public ChunkScheduler {
 public:
  explicit Steady(const LoopFacts& loop);

  Cut next(const Request& request) override;
  void assigned(WorkerId worker, Chunk chunk) override;
  void reclaimed(WorkerId worker, Chunk chunk) override { take(worker, chunk); }
  /// Ignores a response time that is no positive, finite number: it says nothing about the rate.
  void completed(const ChunkTimes& times) override;
  void joined(WorkerId worker, const WorkerFacts& facts) override;
  /// Should it come back, it is measured anew.
  void left(WorkerId worker) override;
  /// Each worker's rate, and what chunks take beside computing.
  Learned learned() const override;

 private:
  struct Worker {
    double weight = 0;  // 0: it is not here
    double rate = 0;    // iterations a second; 0: not known
    double iterations = 0, seconds = 0;
    Index held = 0;  // iterations, in so many chunks
    Index chunks = 0;
    Index window = 1;  // chunks that it may hold
    bool has_returned = false;
  };

  Worker& present(WorkerId worker);
  void take(WorkerId worker, Chunk chunk);
  void set_weight(Worker& worker, double weight);
  void set_rate(Worker& worker, double rate);
  void begin_with(const Learned::Beside& beside);
  void hear_of_messages(const ChunkTimes& times, double response_s);
  void weigh_messages();
  double mean_weight() const { return expected_ > 0 ? expected_ : weights_.value() / present_; }
  double first_size(const Worker& worker, double remaining) const;
  double later_size(const Worker& worker, double remaining) const;
  double all_rates() const;
  double duration_s(double left_s, double rate) const;

  Crowd crowd_;
  std::vector<Worker> workers_;
  double expected_ = 0;  // the mean of all weights, where they are known before workers join
  double present_ = 0;
  RunningSum weights_;        // of who is here
  RunningSum known_weights_;  // of these, whose rate is known
  RunningSum rates_;
  LineSums beside_;           // seconds beside computing, over the chunk's size
  double responses_s_ = 0;    // of the same chunks
  double overhead_s_ = 0;     // h
  double message_share_ = 0;  // u
};

/// The table's line for `steady`.
SchedulerEntry steady_entry();

}  // namespace loadshare
