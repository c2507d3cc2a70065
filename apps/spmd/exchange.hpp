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

/// Adds up where one rank's time goes: what it computes, by the wall's and the processor's clock, and what it
/// talks with others, waiting for them included.
class PhaseClock {
 public:
  /// Runs `work`, which computes and does not talk.
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

  /// Runs `talk`, which moves data or waits for others. Only wall time counts: who waits in MPI is busy.
  template <class Talk>
  void exchange(const Talk& talk) {
    const double begun_s = monotonic_s();
    talk();
    exchanging_s_ += monotonic_s() - begun_s;
  }

  double computing_s() const { return computing_s_; }  ///< processor time while computing
  double stolen_s() const { return stolen_s_; }        ///< wall minus processor time, ditto
  double exchanging_s() const { return exchanging_s_; }

 private:
  double computing_s_ = 0;
  double stolen_s_ = 0;
  double exchanging_s_ = 0;
};

/// Where what counts begins and ends, for profilers.
enum class Mark { begin, end };

/// What ranks without a master say to each other, each call timed as an exchange. All are blocking MPI calls;
/// but for `send`, `receive` and `shift` all ranks make the same ones in the same order. T: double,
/// std::int32_t, std::int64_t, std::uint64_t. A message has at most 2^31 - 1 values; throws Error
/// (run_failed) beyond that and where MPI fails.
class Exchange {
 public:
  /// Collective. Starts nothing: MPI is up.
  explicit Exchange(PhaseClock& clock);
  ~Exchange();
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  int rank() const { return rank_; }
  int ranks() const { return ranks_; }

  void barrier();
  /// Tells profilers that what counts begins or ends here (MPI_Pcontrol with level 1 or 0). Takes no time of
  /// the exchange's.
  void mark(Mark mark);
  /// To one rank, which has to receive as many.
  template <class T>
  void send(std::span<const T> values, int to);
  template <class T>
  void receive(std::span<T> values, int from);
  /// Sends `out` to one rank while `in` comes from another.
  template <class T>
  void shift(std::span<const T> out, int to, std::span<T> in, int from);
  /// The root's values, everywhere.
  template <class T>
  void broadcast(std::span<T> values, int root);
  /// Consecutive pieces of rank 0's `all`, `sizes[rank]` long, to the ranks' `own`. Rank 0's own may be where
  /// it lies in `all`, and is then not copied.
  template <class T>
  void scatter(std::span<const T> all, const std::vector<Index>& sizes, std::span<T> own);
  /// And back.
  template <class T>
  void gather(std::span<const T> own, const std::vector<Index>& sizes, std::span<T> all);
  /// As many values from every rank, by rank, everywhere.
  template <class T>
  std::vector<T> all_gather(std::span<const T> own);
  /// One value for each rank; returns what each rank had for this one.
  std::vector<Index> all_to_all(const std::vector<Index>& values);
  /// Consecutive pieces, `out_sizes[rank]` long, to all ranks, and `in_sizes[rank]` values from each.
  template <class T>
  void all_to_all(std::span<const T> out, const std::vector<Index>& out_sizes, std::span<T> in,
                  const std::vector<Index>& in_sizes);
  /// Element by element the sum over all ranks, everywhere.
  template <class T>
  void sum(std::span<T> values);

 private:
  PhaseClock& clock_;
  std::unique_ptr<mpi::Communicator> all_;
  int rank_ = 0;
  int ranks_ = 1;
};

}  // namespace loadshare::spmd
