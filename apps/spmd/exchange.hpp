#pragma once

#include <memory>
#include <span>
#include <vector>

#include "apps/spmd/phase_clock.hpp"
#include "schedulers/types.hpp"

namespace loadshare::mpi {
class Communicator;
}

namespace loadshare::spmd {

/// What ranks without a master say to each other, each call timed as an exchange. All are blocking MPI calls;
/// but for `send`, `receive` and `shift` all ranks make the same ones in the same order. T: double,
/// std::int32_t, std::int64_t, std::uint64_t. A message has at most 2^31 - 1 values; throws Error
/// (run_failed) beyond that and where MPI fails.
enum class Mark { begin, end };

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
