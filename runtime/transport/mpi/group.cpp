#include "runtime/transport/mpi/group.hpp"

#include <exception>
#include <utility>

#include "runtime/transport/mpi/check.hpp"
#include "runtime/transport/mpi/quiet.hpp"

namespace loadshare::mpi {

namespace {

void start_mpi() {
  int is_started = 0;
  check(MPI_Initialized(&is_started), "MPI_Initialized");
  if (is_started != 0) return;
  // Only the thread that made the farm calls MPI; asking for more would cost message rate.
  int provided = 0;
  check(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided), "MPI_Init_thread");
}

Communicator duplicate_world() {
  start_mpi();
  MPI_Comm comm = MPI_COMM_NULL;
  check(MPI_Comm_dup(MPI_COMM_WORLD, &comm), "MPI_Comm_dup");
  return Communicator(comm);
}

// The master sorts first, so that it leads its host.
int sort_key(const Communicator& all, const MpiOptions& options) {
  return all.rank() == options.master_rank ? -1 : all.rank();
}

Communicator split_machines(const Communicator& all, const MpiOptions& options) {
  MPI_Comm comm = MPI_COMM_NULL;
  check(MPI_Comm_split_type(all.get(), MPI_COMM_TYPE_SHARED, sort_key(all, options), MPI_INFO_NULL, &comm),
        "MPI_Comm_split_type");
  return Communicator(comm);
}

Communicator split_hosts(const Communicator& all, const Communicator& machine, const MpiOptions& options) {
  const int host = options.ranks_per_host > 0 ? all.rank() / options.ranks_per_host : 0;
  MPI_Comm comm = MPI_COMM_NULL;
  check(MPI_Comm_split(machine.get(), host, sort_key(all, options), &comm), "MPI_Comm_split");
  return Communicator(comm);
}

}  // namespace

Communicator::Communicator(MPI_Comm comm) : comm_(comm) {
  check(MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
}
Communicator::~Communicator() {
  if (comm_ != MPI_COMM_NULL && std::uncaught_exceptions() == 0) MPI_Comm_free(&comm_);
}
Communicator::Communicator(Communicator&& other) noexcept
    : comm_(std::exchange(other.comm_, MPI_COMM_NULL)) {}
Communicator& Communicator::operator=(Communicator&& other) noexcept {
  std::swap(comm_, other.comm_);
  return *this;
}
int Communicator::rank() const {
  int rank = 0;
  check(MPI_Comm_rank(comm_, &rank), "MPI_Comm_rank");
  return rank;
}
int Communicator::size() const {
  int size = 0;
  check(MPI_Comm_size(comm_, &size), "MPI_Comm_size");
  return size;
}

Group::Group(const MpiOptions& options) : all_(duplicate_world()), master_rank_(options.master_rank) {
  rank_ = all_.rank();
  const int ranks = all_.size();
  if (master_rank_ < 0 || master_rank_ >= ranks)
    throw UsageError(
        "there is no rank " + std::to_string(master_rank_) + " to be the master",
        "this run has " + std::to_string(ranks) + (ranks == 1 ? " rank, number 0" : " ranks, from 0"),
        "choose --master-rank among them");
  machine_ = split_machines(all_, options);
  host_ = split_hosts(all_, machine_, options);
  int leader = rank_;
  check(MPI_Bcast(&leader, 1, MPI_INT, 0, host_.get()), "MPI_Bcast");
  host_of_.resize(static_cast<std::size_t>(ranks));
  check(MPI_Allgather(&leader, 1, MPI_INT, host_of_.data(), 1, MPI_INT, all_.get()), "MPI_Allgather");
  const bool does_master_work = options.master == MasterMode::works || ranks == 1;
  for (int rank = 0; rank < ranks; ++rank)
    if (rank != master_rank_ || does_master_work) worker_ranks_.push_back(rank);
}

std::vector<int> Group::other_leaders() const {
  std::vector<int> leaders;
  for (int rank = 0; rank < ranks(); ++rank)
    if (host_of_[index(rank)] == rank && !is_on_masters_host(rank)) leaders.push_back(rank);
  return leaders;
}

}  // namespace loadshare::mpi
