#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

#include "profiler/format.hpp"
#include "profiler/preload/section.hpp"

namespace loadshare::profile {

/// Where the ranks are: those of one kernel share a clock and a file.
class Kernels final {
 public:
  /// Collective over MPI_COMM_WORLD, as all that takes a Kernels is.
  static Kernels look_around();

  int rank() const { return rank_; }
  int ranks() const { return static_cast<int>(all_.size()); }
  std::uint64_t run_id() const { return all_.front().number; }
  /// The first rank of this rank's kernel.
  int leader() const { return leader_; }
  bool is_leader() const { return leader() == rank_; }
  /// This rank's number among those of its kernel.
  std::uint32_t number_here() const;
  std::uint32_t ranks_here() const;
  /// Ranks of this kernel under the same host name: they share what a control group grants.
  int ranks_of_host() const;
  /// For messages of our own, which no receive of the program's may take; none where there is one kernel.
  MPI_Comm own_world() const { return own_world_; }
  void free_own_world();
  /// The first ranks of all kernels but rank 0's.
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

/// How far this kernel's clock is ahead of rank 0's, now: by messages between the kernels' leaders and rank
/// 0, which all must call it. All zero on rank 0's kernel and on ranks that lead none.
ClockOffset exchange_clocks(const Kernels& kernels);

/// At the end of a run: the other kernels' leaders send their files to rank 0, which takes them in behind its
/// own, and remove them when they are safe there. What finds no room stays where it is; the reader finds it.
void merge_sections(Section& section, const Kernels& kernels);

}  // namespace loadshare::profile
