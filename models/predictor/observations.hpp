#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <vector>

#include "models/predictor/scenario.hpp"
#include "schedulers/types.hpp"

namespace loadshare::predictor {

/// What a run that goes on has told so far of its workers, from nothing but the chunks that came back: how
/// fast each computes, and what a chunk costs beside computing. Enough to foresee the rest of the run, where
/// nobody has calibrated anything.
class Observations {
 public:
  /// What is known of the farm before it runs.
  struct Farm {
    std::size_t prefetch = 0;
    Reissue reissue = Reissue::off;
    double input_each = 0;    ///< bytes an iteration
    double result_each = 0;   ///< ditto
    double shared_bytes = 0;  ///< that every host needs; first chunks wait for them, and tell no speed then

    bool do_first_chunks_wait() const { return shared_bytes > 0; }
  };
  Observations(std::size_t workers, const Farm& farm) : farm_(farm), workers_(workers) {}

  /// Its first chunk was given, at `now_s` on any clock.
  void given(WorkerId worker, Index size, double now_s);
  bool was_given(WorkerId worker) const { return workers_[to_number(worker)].first_size > 0; }
  void completed(const ChunkTiming& timing);

  std::size_t workers() const { return workers_.size(); }
  /// Of that worker's chunks that told its speed.
  double computing_s(std::size_t worker) const { return workers_[worker].computing_s; }
  bool has_any() const { return chunks_ > 0; }
  /// At least half of the workers have told their speed.
  bool has_most() const;
  /// Of the chunks that told something.
  double mean_size() const;

  /// What is known at `now_s`, as a scenario of a loop of so many iterations, all alike. A worker that told
  /// nothing is taken for the slowest that did, or for slower, where its first chunk has been computed for
  /// longer than that already. At least one has told its speed.
  Scenario scenario(Index iterations, double now_s = 0) const;

 private:
  struct Worker {
    Index returned = 0;
    Index first_size = 0;  // of the first chunk it was given, at first_given_s
    double first_given_s = 0;
    Index chunks = 0;
    double iterations = 0;
    double computing_s = 0;
    Index heard = 0;  // chunks that told what they cost beside computing: so much in all
    double beside_s = 0;
    // Over its chunks: sums of what an iteration took in each, and of the squares of that.
    double each_s = 0, each_squared = 0;

    double iteration_s() const { return computing_s / iterations; }
    double mean_beside_s() const { return heard > 0 ? beside_s / static_cast<double>(heard) : 0; }
  };
  /// What a chunk costs beside computing: fixed_s + each_s * iterations.
  struct Overhead {
    double fixed_s = 0;
    double each_s = 0;
  };
  bool tells_overhead(const Worker& worker) const;
  bool is_near(const Worker& worker) const;
  double near_s() const;
  double chunk_deviation() const;
  double slowest_iteration_s() const;
  double iteration_s(const Worker& worker, double now_s) const;
  Overhead overhead(double now_s) const;
  std::optional<double> bandwidth() const;

  Farm farm_;
  std::vector<Worker> workers_;
  double begun_s_ = std::numeric_limits<double>::infinity();
  // Where first chunks wait: by when what they waited for had come to one host, as far as it is known.
  double arrived_s_ = std::numeric_limits<double>::infinity();
  Index chunks_ = 0;
  // Sums over the chunks of workers that need messages: of x = iterations, y = time beside computing.
  double n_ = 0, x_ = 0, y_ = 0, xx_ = 0, xy_ = 0;
};

}  // namespace loadshare::predictor
