#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <vector>

#include "base/types.hpp"
#include "runtime/host/clock.hpp"

namespace loadshare::mpi {
class Communicator;
}

namespace loadshare::spmd {

/// Adds up one rank's time: computing, by wall clock and processor time, and communication, including waiting
/// for other ranks.
class PhaseClock {
 public:
  /// Runs `work`, which computes and does not communicate.
  template <class Work>
  void compute(const Work& work) {
    const double begun_s = monotonic_s();
    const double begun_cpu_s = thread_cpu_s();
    work();
    const double cpu_s = thread_cpu_s() - begun_cpu_s;
    const double wall_s = monotonic_s() - begun_s;
    computing_s_ += std::min(cpu_s, wall_s);
    stolen_s_ += std::max(0.0, wall_s - cpu_s);
  }

  /// Runs `talk`, which moves data or waits. Only wall time counts, because waiting in MPI uses the
  /// processor.
  template <class Talk>
  void exchange(const Talk& talk) {
    const double begun_s = monotonic_s();
    talk();
    exchanging_s_ += monotonic_s() - begun_s;
  }

  double computing_s() const { return computing_s_; }  ///< processor time while computing
  double stolen_s() const { return stolen_s_; }        ///< wall time minus processor time while computing
  double exchanging_s() const { return exchanging_s_; }

 private:
  double computing_s_ = 0;
  double stolen_s_ = 0;
  double exchanging_s_ = 0;
};

/// Start and end of the measured part, for profilers.
enum class Mark { begin, end };

/// Communication of ranks without a master; each call is timed as an exchange. All calls are blocking MPI
/// calls. Except for `send`, `receive` and `shift`, all ranks make the same calls in the same order. T is
/// double, std::int32_t, std::int64_t or std::uint64_t. A message has at most 2^31 - 1 values. Throws Error
/// (run_failed) for more, and if MPI fails.
class Exchange {
 public:
  /// Collective. MPI must have been started.
  explicit Exchange(PhaseClock& clock);
  ~Exchange();
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  int rank() const { return rank_; }
  int ranks() const { return ranks_; }

  void barrier();
  /// Marks the start or end of the measured part for profilers (MPI_Pcontrol with level 1 or 0). Not timed as
  /// an exchange.
  void mark(Mark mark);
  /// Sends values to one rank, which must receive as many.
  template <class T>
  void send(std::span<const T> values, int to);
  template <class T>
  void receive(std::span<T> values, int from);
  /// Sends `out` to one rank while it receives `in` from another.
  template <class T>
  void shift(std::span<const T> out, int to, std::span<T> in, int from);
  /// Copies the root's values to all ranks.
  template <class T>
  void broadcast(std::span<T> values, int root);
  /// Distributes consecutive pieces of rank 0's `all`, `sizes[rank]` long, to the ranks' `own`. If rank 0's
  /// `own` is its part of `all`, it is not copied.
  template <class T>
  void scatter(std::span<const T> all, const std::vector<Index>& sizes, std::span<T> own);
  /// Collects the pieces on rank 0; the reverse of scatter().
  template <class T>
  void gather(std::span<const T> own, const std::vector<Index>& sizes, std::span<T> all);
  /// Returns all ranks' values on every rank, in the order of ranks. All contribute the same number.
  template <class T>
  std::vector<T> all_gather(std::span<const T> own);
  /// Sends one value to each rank. Returns the values from each rank.
  std::vector<Index> all_to_all(const std::vector<Index>& values);
  /// Sends consecutive pieces, `out_sizes[rank]` long, to all ranks, and receives `in_sizes[rank]` values
  /// from each.
  template <class T>
  void all_to_all(std::span<const T> out, const std::vector<Index>& out_sizes, std::span<T> in,
                  const std::vector<Index>& in_sizes);
  /// Adds up values element by element over all ranks. Every rank gets the sums.
  template <class T>
  void sum(std::span<T> values);

 private:
  PhaseClock& clock_;
  std::unique_ptr<mpi::Communicator> all_;
  int rank_ = 0;
  int ranks_ = 1;
};

}  // namespace loadshare::spmd
