#pragma once

#include <mpi.h>

#include <string>
#include <vector>

#include "runtime/transport/mpi/mpi_transport.hpp"

namespace loadshare::mpi {

/// A communicator of our own, freed at the end unless an error is on its way out (freeing is collective).
class Communicator {
 public:
  Communicator() = default;
  explicit Communicator(MPI_Comm comm);
  ~Communicator();
  Communicator(Communicator&& other) noexcept;
  Communicator& operator=(Communicator&& other) noexcept;

  MPI_Comm get() const { return comm_; }
  int rank() const;
  int size() const;

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
};

/// Who takes part: all ranks, those of this host, and where the master is. On every host the first rank of
/// `host` is its leader; on the master's host that is the master.
class Group {
 public:
  /// Collective; starts MPI unless that is done. Throws UsageError if there is no such master rank, or if MPI
  /// connects fewer processes than their launcher has started.
  explicit Group(const MpiOptions& options);

  const Communicator& all() const { return all_; }
  const Communicator& host() const { return host_; }
  /// All ranks that share this one's processors, also where several hosts are pretended.
  const Communicator& machine() const { return machine_; }
  int rank() const { return rank_; }
  int ranks() const { return static_cast<int>(host_of_.size()); }
  int master_rank() const { return master_rank_; }
  bool is_master() const { return rank_ == master_rank_; }
  bool is_on_masters_host(int rank) const { return host_of_[index(rank)] == host_of_[index(master_rank_)]; }
  bool is_leader() const { return host_of_[index(rank_)] == rank_; }
  /// Whether any thread may call MPI while no other does; else only the one that made this.
  bool lets_threads_take_turns() const { return lets_threads_take_turns_; }
  /// The leaders of the other hosts.
  std::vector<int> other_leaders() const;
  /// The ranks that compute, in order: a worker's id is its place here.
  const std::vector<int>& worker_ranks() const { return worker_ranks_; }

 private:
  static std::size_t index(int rank) { return static_cast<std::size_t>(rank); }

  Communicator all_;
  Communicator machine_;
  Communicator host_;
  int rank_ = 0;
  int master_rank_ = 0;
  bool lets_threads_take_turns_ = false;
  std::vector<int> host_of_;  // by rank: its host's leader
  std::vector<int> worker_ranks_;
};

/// Seconds by which this rank's host clock is ahead of the master's, from the quickest of a few round trips
/// (Cristian, "Probabilistic clock synchronization", Distributed Computing 3, 1989); 0 on the master's host.
/// Good to half that round trip. Collective.
double measure_clock_offset_s(const Group& group);

/// The same among the members of a communicator, so many of whom ask its `master` for the time. Collective
/// over these and the master; on the master 0.
double measure_clock_offset_s(MPI_Comm comm, int master, int askers);

}  // namespace loadshare::mpi
