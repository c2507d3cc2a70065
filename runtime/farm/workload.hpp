#pragma once

#include <atomic>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <typeinfo>

#include "runtime/transport/data_layout.hpp"
#include "runtime/transport/task_signals.hpp"

namespace loadshare {

class SharedInput;

/// What a worker needs while it computes one chunk. Lives as long as the call of `compute`, whose thread uses
/// it.
class Work {
 public:
  Work(Chunk chunk, WorkerId worker, std::span<const std::byte> input, std::span<std::byte> output,
       SharedInput& shared, const std::atomic<std::uint32_t>& over, TaskSignals signals = {})
      : chunk_(chunk),
        worker_(worker),
        input_(input),
        output_(output),
        shared_(shared),
        over_(over),
        signals_(signals) {}

  Chunk chunk() const { return chunk_; }
  WorkerId worker() const { return worker_; }
  /// The chunk's input and the place for its result, as DataLayout::input and DataLayout::output describe
  /// them.
  std::span<const std::byte> input() const { return input_; }
  std::span<std::byte> output() const { return output_; }

  /// A piece of the shared input, prepared; waits until it has arrived on this host. Throws std::out_of_range
  /// where there is no such piece (or no shared input). Once the chunk is cancelled it may be incomplete, and
  /// somebody may still be writing it: so ask is_cancelled() before reading it.
  std::span<const std::byte> shared_piece(std::size_t piece);
  /// Whether nobody waits for this chunk any more: others were first with it, or the run is over. A long
  /// computation may then return early, whatever its output holds.
  bool is_cancelled() const;
  /// So many of the chunk's iterations are done, for the progress line and the forecast. Costs a write to
  /// memory, and lets the farm's own thread have the core where it waits for that; may be said as often as
  /// one likes.
  void progressed(Index done) { signals_.progressed(done); }
  /// Iteration `iteration` is computed now: `progressed`, and where the computation throws, it is known which
  /// iteration it was. (Otherwise the chunk is halved until it is found, where failures do not end the run.)
  void at(Index iteration) {
    at_ = iteration;
    progressed(iteration - chunk_.first);
  }
  /// Where `at` said the computation was last.
  std::optional<Index> current() const { return at_; }
  /// Seconds spent waiting for the shared input so far.
  double waited_s() const { return waited_s_; }

 private:
  Chunk chunk_;
  WorkerId worker_;
  std::span<const std::byte> input_;
  std::span<std::byte> output_;
  SharedInput& shared_;
  const std::atomic<std::uint32_t>& over_;
  TaskSignals signals_;
  std::optional<Index> at_;
  double waited_s_ = 0;
};

/// A loop whose iterations are independent: what an application implements. Every rank makes one, of the
/// same shape; its data is needed on the master only (in memory from Farm::resident all ranks of that host
/// see it, and chunks need not travel to them).
class Workload : public DataLayout {
 public:
  virtual Index iterations() const = 0;
  /// What a person calls them: "columns".
  virtual std::string_view iteration_name() const { return "iterations"; }
  /// What tells a loop from another that may cost otherwise: of what was learned in one, the next of its kind
  /// and size is told.
  virtual std::string kind() const { return typeid(*this).name(); }

  /// Whether computing keeps a processor busy. Where it waits instead (asleep, or for a device), its wall
  /// time counts as computing, for nobody stole what it did not want, and no share of a processor is
  /// measured.
  virtual bool uses_processor() const { return true; }

  /// Whether iterations may be computed once more, into other memory, only to be timed, because they have no
  /// effect but their results. Otherwise each is computed once, unless something failed or copies are made.
  virtual bool is_repeatable() const { return false; }

  /// How much there is to do in a chunk, in any unit: what workers' speeds are measured in. To be overridden
  /// where iterations are unequal. Called on the master, for chunks whose results are at their place: during
  /// the run, or after it.
  virtual double work(Chunk chunk) const { return static_cast<double>(chunk.size); }

  /// Computes the iterations of work.chunk(), reading work.input() and writing work.output(). Called by
  /// several workers of one process at the same time, each with a chunk of its own. Must give the same result
  /// on any worker, and may be called twice for one chunk (see Farm::set_copies). FarmOptions::on_failure
  /// decides about a chunk that throws.
  virtual void compute(Work& work) = 0;

  /// How this rank computes, where hosts may differ: in the record's notes for those that do not as the
  /// master's.
  virtual std::string way() const { return {}; }

  /// How many iterations it is best to compute at once. Smaller chunks that wait at a worker (prefetch) are
  /// then begun together, as long as they are no more than this: all of them, or half, rounded up, where
  /// others are long on their way. Their time is divided among them by their iterations.
  virtual Index iterations_at_once() const { return 1; }

  /// Computes several chunks, which need not be neighbours, by the rules of `compute`. It may return early
  /// only where all of them are cancelled; where it throws, each is computed again alone.
  virtual void compute_together(std::span<Work> works) {
    for (Work& work : works) compute(work);
  }
};

}  // namespace loadshare
