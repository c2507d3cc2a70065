#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

#include "profiler/format.hpp"
#include "profiler/preload/section.hpp"

namespace loadshare::profile {

/// The placement of the ranks on kernels. Ranks of one kernel share a clock and a file.
class Kernels final {
 public:
  /// Exchanges the placement of all ranks. Collective over MPI_COMM_WORLD, as is every function that takes a
  /// Kernels.
  static Kernels locate();

  int rank() const { return rank_; }
  int ranks() const { return static_cast<int>(all_.size()); }
  std::uint64_t run_id() const { return all_.front().number; }
  /// Returns the first rank of this rank's kernel.
  int leader() const { return leader_; }
  bool is_leader() const { return leader() == rank_; }
  /// Returns this rank's position among the ranks of its kernel.
  std::uint32_t number_here() const;
  std::uint32_t ranks_here() const;
  /// Returns the number of ranks of this kernel with the same host name, which share a control group's limit.
  int ranks_of_host() const;
  /// The communicator for the profiler's own messages, which no receive of the program matches; none with one
  /// kernel.
  MPI_Comm own_world() const { return own_world_; }
  void free_own_world();
  /// The first ranks of all kernels except rank 0's.
  const std::vector<int>& other_leaders() const { return other_leaders_; }

 private:
  struct Place {
    std::uint64_t kernel;
    std::uint64_t host;
    std::uint64_t number;  ///< random
  };

  void find_leaders();
  const Place& own() const { return all_[static_cast<std::size_t>(rank_)]; }

  int rank_ = 0;
  int leader_ = 0;
  std::vector<int> other_leaders_;
  MPI_Comm own_world_ = MPI_COMM_NULL;
  std::vector<Place> all_;
};

/// Measures how far this kernel's clock is ahead of rank 0's, by messages between the kernels' leaders and
/// rank 0. All ranks call it. Returns zeros on rank 0's kernel and on ranks that are not leaders.
ClockOffset exchange_clocks(const Kernels& kernels);

/// Merges the sections at the end of a run. The other kernels' leaders send their files to rank 0, which
/// appends them to its own. Each leader removes its file once it is safe there. A section that does not fit
/// stays in its file, where the reader finds it.
void merge_sections(Section& section, const Kernels& kernels);

}  // namespace loadshare::profile
