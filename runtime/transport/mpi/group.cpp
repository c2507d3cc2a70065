#include "runtime/transport/mpi/group.hpp"

#include <algorithm>
#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <utility>

#include "runtime/host/clock.hpp"
#include "runtime/transport/launch.hpp"
#include "runtime/transport/mpi/check.hpp"
#include "runtime/transport/mpi/messages.hpp"
#include "runtime/transport/mpi/poll_nap.hpp"

namespace loadshare::mpi {
namespace {

int thread_level() {
  int level = MPI_THREAD_SINGLE;
  check(MPI_Query_thread(&level), "MPI_Query_thread");
  return level;
}

void check_thread_level() {
  if (thread_level() < MPI_THREAD_FUNNELED)
    throw UsageError("MPI was initialised for one thread",
                     "a farm also computes on threads that do not call MPI",
                     "use MPI_Init_thread with MPI_THREAD_FUNNELED, or let the farm initialise MPI");
}

/// The error if MPI connects fewer processes than the launcher started. Another MPI's launcher starts
/// processes that cannot reach each other: each would do all of the work.
std::optional<UsageError> missing_ranks(const Launch& launch) {
  int ranks = 0;
  check(MPI_Comm_size(MPI_COMM_WORLD, &ranks), "MPI_Comm_size");
  if (launch.ranks_variable == nullptr || ranks >= launch.ranks) return std::nullopt;
  const std::string variable = launch.ranks_variable, launchers = launch.launchers;
  return UsageError("MPI connects " + std::to_string(ranks) + " of " + std::to_string(launch.ranks) +
                        " processes, and each would do all the work",
                    variable + " is " + std::to_string(launch.ranks) + ", set by " + launchers +
                        ", but the program is linked to " + mpi_library(),
                    "start it with the mpirun of that library, under Slurm with srun --mpi=pmix");
}

/// Starts MPI, and ends it again if ranks are missing, so that each process can report that by itself.
void start_mpi() {
  const Launch launch = detect_launch();  // MPI_Init adds variables of its own to those of another launcher
  int is_started = 0;
  check(MPI_Initialized(&is_started), "MPI_Initialized");
  if (is_started == 0) {
    // Threads take turns; several at a time would cost message rate.
    int provided = 0;
    check(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided), "MPI_Init_thread");
  }
  if (const std::optional<UsageError> missing = missing_ranks(launch)) {
    if (is_started == 0) MPI_Finalize();
    throw *missing;
  }
  check_thread_level();
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

constexpr int round_trips = 16;

/// Exact where the answer is a matter of microseconds, and soon asleep where it is not: who spins may use up
/// what a control group grants it, and then be stopped while the answer waits.
int wait_promptly(MPI_Request request) {
  constexpr double worth_spinning_s = 100e-6;
  MPI_Status status;
  int is_done = 0;
  for (const double begun_s = monotonic_s(); is_done == 0 && monotonic_s() - begun_s < worth_spinning_s;)
    check(MPI_Test(&request, &is_done, &status), "MPI_Test");
  for (PollNap nap; is_done == 0; nap.rest()) check(MPI_Test(&request, &is_done, &status), "MPI_Test");
  return status.MPI_SOURCE;
}

void send(double value_s, int to, MPI_Comm comm) {
  MPI_Request request = MPI_REQUEST_NULL;
  check(MPI_Isend(&value_s, 1, MPI_DOUBLE, to, number(Tag::clock), comm, &request), "MPI_Isend");
  wait_promptly(request);
}

/// A rank and what it sent.
struct Stamp {
  int rank;
  double value_s;
};

Stamp receive(int from, MPI_Comm comm) {
  double value_s = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  check(MPI_Irecv(&value_s, 1, MPI_DOUBLE, from, number(Tag::clock), comm, &request), "MPI_Irecv");
  const int rank = wait_promptly(request);
  return {rank, value_s};
}

double ask(int master, MPI_Comm comm) {
  double best_trip_s = 1e9, offset_s = 0;
  for (int i = 0; i < round_trips; ++i) {
    const double sent_s = monotonic_s();
    send(sent_s, master, comm);
    const double master_s = receive(master, comm).value_s;
    const double back_s = monotonic_s();
    if (back_s - sent_s >= best_trip_s) continue;
    best_trip_s = back_s - sent_s;
    offset_s = (sent_s + back_s) / 2 - master_s;
  }
  return offset_s;
}

// Whoever asks is answered next: one rank after the other would take as long as there are ranks.
void answer(int askers, MPI_Comm comm) {
  for (int i = 0; i < askers * round_trips; ++i) {
    const Stamp asked = receive(MPI_ANY_SOURCE, comm);
    send(monotonic_s(), asked.rank, comm);
  }
}

/// Returns each rank's text, padded to `bytes`, which is the length of the longest.
std::vector<std::string> gather_texts(const Communicator& all, std::string own, std::size_t bytes) {
  own.resize(bytes);
  std::string texts(bytes * static_cast<std::size_t>(all.size()), '\0');
  const int count = static_cast<int>(bytes);
  check(MPI_Allgather(own.data(), count, MPI_CHAR, texts.data(), count, MPI_CHAR, all.get()),
        "MPI_Allgather");
  std::vector<std::string> by_rank;
  for (std::size_t first = 0; first < texts.size(); first += bytes)
    by_rank.push_back(texts.substr(first, bytes));
  return by_rank;
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
  lets_threads_take_turns_ = thread_level() >= MPI_THREAD_SERIALIZED;
  const int ranks = all_.size();
  if (master_rank_ < 0 || master_rank_ >= ranks)
    throw UsageError(
        "--master-rank is " + std::to_string(master_rank_),
        "this run has " + std::to_string(ranks) + (ranks == 1 ? " rank, number 0" : " ranks, from 0"),
        "choose one of them");
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

double measure_clock_offset_s(MPI_Comm comm, int master, int askers) {
  int rank = 0;
  check(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
  if (rank != master) return ask(master, comm);
  answer(askers, comm);
  return 0;
}

double measure_clock_offset_s(const Group& group) {
  if (!group.is_master() && group.is_on_masters_host(group.rank())) return 0;
  int askers = 0;
  for (int rank = 0; rank < group.ranks(); ++rank) askers += group.is_on_masters_host(rank) ? 0 : 1;
  return measure_clock_offset_s(group.all().get(), group.master_rank(), askers);
}

}  // namespace loadshare::mpi

namespace loadshare {

std::vector<std::string> differing_texts(const std::string& text) {
  const mpi::Communicator all = mpi::duplicate_world();
  struct Digest {
    std::uint64_t hash, bytes;
    bool operator==(const Digest&) const = default;
  };
  const Digest own{std::hash<std::string>{}(text), text.size()};
  std::vector<Digest> digests(static_cast<std::size_t>(all.size()));
  mpi::check(MPI_Allgather(&own, sizeof(own), MPI_BYTE, digests.data(), sizeof(own), MPI_BYTE, all.get()),
             "MPI_Allgather");
  if (std::ranges::count(digests, own) == std::ssize(digests)) return {};
  const Digest& longest = *std::ranges::max_element(digests, {}, &Digest::bytes);
  std::vector<std::string> texts = mpi::gather_texts(all, text, longest.bytes);
  for (std::size_t rank = 0; rank < texts.size(); ++rank) texts[rank].resize(digests[rank].bytes);
  return texts;
}

}  // namespace loadshare
