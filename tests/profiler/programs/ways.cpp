// Every way to wait in MPI, on 2 ranks: `profiled_ways FILE [PAUSE_MS]`. In each way one rank arrives later
// than the other by the pause, and computes meanwhile.
//
// Prints as JSON, for each way and rank, when it arrived at the calls and when it had finished them. It adds
// the time that other programs had its processor in between. FILE is a writable file.
#include <mpi.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <vector>

#include "runtime/host/clock.hpp"

namespace {

using loadshare::monotonic_s;

constexpr int large = 4 << 20;
constexpr int tag = 7;
const MPI_Comm world = MPI_COMM_WORLD;
MPI_Status* const no_status = MPI_STATUS_IGNORE;
MPI_Status* const no_statuses = MPI_STATUSES_IGNORE;

/// A rank's data in a way.
struct Rank {
  int number = 0;
  double pause_s = 0;
  const char* path = nullptr;
  double came_s = 0;
  double stolen_before_s = 0;  ///< at its arrival
  int value = 0;
  std::array<int, 4> values{};
  std::array<MPI_Request, 4> requests{};
  std::vector<char> data = std::vector<char>(large, 'a');
  MPI_Comm row = MPI_COMM_NULL;
  MPI_Win shared = MPI_WIN_NULL;  ///< allocated by MPI
  MPI_Win own = MPI_WIN_NULL;     ///< over `data`
  MPI_File file = MPI_FILE_NULL;

  bool is_first() const { return number == 0; }

  /// Rank 0 sends, and rank 1 receives.
  int other() const { return 1 - number; }
};

/// Returns how long this thread could have run while other programs had the processor.
double theft_s() {
  std::ifstream file("/proc/thread-self/schedstat");
  double ran_ns = 0;
  double delayed_ns = 0;
  return file >> ran_ns >> delayed_ns ? delayed_ns * 1e-9 : 0;
}

void meet() {
  MPI_Barrier(world);
}

/// The late rank computes; then each rank makes its calls.
void come_unmet(Rank& rank, int late) {
  const double begin_s = monotonic_s();
  while (rank.number == late && monotonic_s() < begin_s + rank.pause_s) continue;
  rank.stolen_before_s = theft_s();
  rank.came_s = monotonic_s();
}

/// All ranks have met before.
[[gnu::noinline]] void come(Rank& rank, int late) {
  meet();
  come_unmet(rank, late);
}

/// Rank 0 is about to leave MPI when rank 1 continues.
[[gnu::noinline]] void let_go_on(Rank& rank) {
  if (rank.is_first()) MPI_Send(&rank.value, 1, MPI_INT, 1, tag + 1, world);
  if (!rank.is_first()) MPI_Recv(&rank.value, 1, MPI_INT, 0, tag + 1, world, no_status);
}

}  // namespace

// The functions' names identify places: they are exported, and none is inlined into another.
#define WAY(name) extern "C" [[gnu::noinline, gnu::visibility("default")]] void name(Rank& rank)

WAY(way_send) {
  come(rank, 0);
  if (rank.is_first()) MPI_Send(&rank.value, 1, MPI_INT, 1, tag, world);
  if (!rank.is_first()) MPI_Recv(&rank.value, 1, MPI_INT, 0, tag, world, no_status);
}

WAY(way_ibsend) {
  come(rank, 0);
  if (rank.is_first()) MPI_Ibsend(&rank.value, 1, MPI_INT, 1, tag, world, &rank.requests[0]);
  if (rank.is_first()) MPI_Wait(&rank.requests[0], no_status);
  if (!rank.is_first()) MPI_Recv(&rank.value, 1, MPI_INT, 0, tag, world, no_status);
}

WAY(way_issend) {
  come(rank, 0);
  if (rank.is_first()) MPI_Issend(&rank.value, 1, MPI_INT, 1, tag, world, &rank.requests[0]);
  if (rank.is_first()) MPI_Wait(&rank.requests[0], no_status);
  if (!rank.is_first()) MPI_Recv(&rank.value, 1, MPI_INT, 0, tag, world, no_status);
}

WAY(way_irsend) {
  if (!rank.is_first()) MPI_Irecv(&rank.value, 1, MPI_INT, 0, tag, world, &rank.requests[0]);
  come(rank, 0);
  if (rank.is_first()) MPI_Irsend(&rank.value, 1, MPI_INT, 1, tag, world, &rank.requests[0]);
  MPI_Wait(&rank.requests[0], no_status);
}

/// One message of each mode.
WAY(way_persistent) {
  int* const at = rank.values.data();
  MPI_Request* const request = rank.requests.data();
  if (rank.is_first()) {
    MPI_Send_init(at, 1, MPI_INT, 1, 1, world, request);
    MPI_Bsend_init(at + 1, 1, MPI_INT, 1, 2, world, request + 1);
    MPI_Ssend_init(at + 2, 1, MPI_INT, 1, 3, world, request + 2);
    MPI_Rsend_init(at + 3, 1, MPI_INT, 1, 4, world, request + 3);
  } else {
    for (int i = 0; i < 4; ++i) MPI_Recv_init(at + i, 1, MPI_INT, 0, i + 1, world, request + i);
    MPI_Startall(4, request);
  }
  come(rank, 0);
  if (rank.is_first()) MPI_Startall(4, request);
  MPI_Waitall(4, request, no_statuses);
  for (int i = 0; i < 4; ++i) MPI_Request_free(request + i);
}

WAY(way_persistent_ssend_to_late_receive) {
  if (!rank.is_first()) MPI_Ssend_init(&rank.value, 1, MPI_INT, 0, tag, world, &rank.requests[0]);
  if (rank.is_first()) MPI_Recv_init(&rank.value, 1, MPI_INT, 1, tag, world, &rank.requests[0]);
  come(rank, 0);
  MPI_Start(&rank.requests[0]);
  MPI_Wait(&rank.requests[0], no_status);
  MPI_Request_free(&rank.requests[0]);
}

namespace {

/// Two messages, whose receives rank 1 has started.
void start_two(Rank& rank) {
  if (!rank.is_first())
    for (int i = 0; i < 2; ++i)
      MPI_Irecv(&rank.values[static_cast<std::size_t>(i)], 1, MPI_INT, 0, i, world,
                &rank.requests[static_cast<std::size_t>(i)]);
}
void start_sum(Rank& rank) {
  MPI_Iallreduce(MPI_IN_PLACE, rank.data.data(), large, MPI_CHAR, MPI_MAX, world, &rank.requests[0]);
}

void send_two(Rank& rank) {
  for (int i = 0; rank.is_first() && i < 2; ++i) MPI_Send(&rank.value, 1, MPI_INT, 1, i, world);
}

}  // namespace

WAY(way_waitsome) {
  start_two(rank);
  come(rank, 0);
  send_two(rank);
  std::array<int, 2> which{};
  for (int done = 0, all = 0; !rank.is_first() && all < 2; all += done)
    MPI_Waitsome(2, rank.requests.data(), &done, which.data(), no_statuses);
}

WAY(way_waitany) {
  start_two(rank);
  come(rank, 0);
  send_two(rank);
  int which = 0;
  for (int i = 0; !rank.is_first() && i < 2; ++i) MPI_Waitany(2, rank.requests.data(), &which, no_status);
}

WAY(way_test) {
  if (!rank.is_first()) MPI_Irecv(&rank.value, 1, MPI_INT, 0, tag, world, &rank.requests[0]);
  come(rank, 0);
  if (rank.is_first()) MPI_Send(&rank.value, 1, MPI_INT, 1, tag, world);
  for (int done = rank.is_first() ? 1 : 0; done == 0;) MPI_Test(&rank.requests[0], &done, no_status);
}

WAY(way_testall) {
  start_two(rank);
  come(rank, 0);
  send_two(rank);
  for (int done = rank.is_first() ? 1 : 0; done == 0;)
    MPI_Testall(2, rank.requests.data(), &done, no_statuses);
}

WAY(way_testany) {
  start_two(rank);
  come(rank, 0);
  send_two(rank);
  for (int all = rank.is_first() ? 2 : 0, which = 0, done = 0; all < 2; all += done)
    MPI_Testany(2, rank.requests.data(), &which, &done, no_status);
}

WAY(way_testsome) {
  start_two(rank);
  come(rank, 0);
  send_two(rank);
  std::array<int, 2> which{};
  for (int all = rank.is_first() ? 2 : 0, done = 0; all < 2; all += done)
    MPI_Testsome(2, rank.requests.data(), &done, which.data(), no_statuses);
}

WAY(way_mprobe) {
  come(rank, 0);
  if (rank.is_first()) MPI_Send(&rank.value, 1, MPI_INT, 1, tag, world);
  if (rank.is_first()) return;
  MPI_Message found = MPI_MESSAGE_NULL;
  MPI_Mprobe(0, tag, world, &found, no_status);
  MPI_Mrecv(&rank.value, 1, MPI_INT, &found, no_status);
}

WAY(way_improbe) {
  come(rank, 0);
  if (rank.is_first()) MPI_Send(&rank.value, 1, MPI_INT, 1, tag, world);
  if (rank.is_first()) return;
  MPI_Message found = MPI_MESSAGE_NULL;
  for (int is_there = 0; is_there == 0;) MPI_Improbe(0, tag, world, &is_there, &found, no_status);
  MPI_Imrecv(&rank.value, 1, MPI_INT, &found, &rank.requests[0]);
  MPI_Wait(&rank.requests[0], no_status);
}

WAY(way_sendrecv_replace) {
  come(rank, 0);
  MPI_Sendrecv_replace(&rank.value, 1, MPI_INT, rank.other(), tag, rank.other(), tag, world, no_status);
}

WAY(way_ssend_to_late_receive) {
  come(rank, 0);
  if (!rank.is_first()) MPI_Ssend(&rank.value, 1, MPI_INT, 0, tag, world);
  if (rank.is_first()) MPI_Recv(&rank.value, 1, MPI_INT, 1, tag, world, no_status);
}

WAY(way_issend_to_late_receive) {
  come(rank, 0);
  if (!rank.is_first()) MPI_Issend(&rank.value, 1, MPI_INT, 0, tag, world, &rank.requests[0]);
  if (!rank.is_first()) MPI_Wait(&rank.requests[0], no_status);
  if (rank.is_first()) MPI_Recv(&rank.value, 1, MPI_INT, 1, tag, world, no_status);
}

WAY(way_issend_tested_to_late_receive) {
  come(rank, 0);
  if (rank.is_first()) {
    MPI_Recv(&rank.value, 1, MPI_INT, 1, tag, world, no_status);
    return;
  }
  MPI_Issend(&rank.value, 1, MPI_INT, 0, tag, world, &rank.requests[0]);
  for (int done = 0; done == 0;) MPI_Testall(1, rank.requests.data(), &done, no_statuses);
}

WAY(way_large_send_to_late_receive) {
  come(rank, 0);
  if (!rank.is_first()) MPI_Send(rank.data.data(), large, MPI_CHAR, 0, tag, world);
  if (rank.is_first()) MPI_Recv(rank.data.data(), large, MPI_CHAR, 1, tag, world, no_status);
}

WAY(way_short_send_to_late_receive) {
  come(rank, 0);
  if (!rank.is_first()) MPI_Send(&rank.value, 1, MPI_INT, 0, tag, world);
  if (rank.is_first()) MPI_Recv(&rank.value, 1, MPI_INT, 1, tag, world, no_status);
}

/// Rank 0 has started its receive, and computes.
WAY(way_large_send_to_computing) {
  if (rank.is_first()) MPI_Irecv(rank.data.data(), large, MPI_CHAR, 1, tag, world, &rank.requests[0]);
  let_go_on(rank);
  come_unmet(rank, 0);
  if (rank.is_first()) MPI_Wait(&rank.requests[0], no_status);
  if (!rank.is_first()) MPI_Send(rank.data.data(), large, MPI_CHAR, 0, tag, world);
}

/// Whether this needs the late rank's processor is the transport's to know.
WAY(way_large_receive_from_computing) {
  if (rank.is_first()) MPI_Isend(rank.data.data(), large, MPI_CHAR, 1, tag, world, &rank.requests[0]);
  let_go_on(rank);
  come_unmet(rank, 0);
  if (rank.is_first()) MPI_Wait(&rank.requests[0], no_status);
  if (!rank.is_first()) MPI_Recv(rank.data.data(), large, MPI_CHAR, 0, tag, world, no_status);
}

WAY(way_iallreduce_with_computing) {
  if (rank.is_first()) start_sum(rank);
  let_go_on(rank);
  if (!rank.is_first()) start_sum(rank);
  come_unmet(rank, 0);
  MPI_Wait(&rank.requests[0], no_status);
}

WAY(way_neighbor_allgather) {
  come(rank, 0);
  MPI_Neighbor_allgather(&rank.value, 1, MPI_INT, rank.values.data(), 1, MPI_INT, rank.row);
}

constexpr std::array<int, 2> counts{1, 1};
constexpr std::array<int, 2> places{0, 1};
constexpr std::array<MPI_Aint, 2> offsets{0, sizeof(int)};

WAY(way_neighbor_allgatherv) {
  come(rank, 0);
  MPI_Neighbor_allgatherv(&rank.value, 1, MPI_INT, rank.values.data(), counts.data(), places.data(), MPI_INT,
                          rank.row);
}

WAY(way_neighbor_alltoall) {
  come(rank, 0);
  MPI_Neighbor_alltoall(rank.values.data(), 1, MPI_INT, rank.values.data() + 2, 1, MPI_INT, rank.row);
}

WAY(way_neighbor_alltoallv) {
  come(rank, 0);
  MPI_Neighbor_alltoallv(rank.values.data(), counts.data(), places.data(), MPI_INT, rank.values.data() + 2,
                         counts.data(), places.data(), MPI_INT, rank.row);
}

WAY(way_neighbor_alltoallw) {
  const std::array<MPI_Datatype, 2> types{MPI_INT, MPI_INT};
  come(rank, 0);
  MPI_Neighbor_alltoallw(rank.values.data(), counts.data(), offsets.data(), types.data(),
                         rank.values.data() + 2, counts.data(), offsets.data(), types.data(), rank.row);
}

WAY(way_ineighbor_allgather) {
  come(rank, 0);
  MPI_Ineighbor_allgather(&rank.value, 1, MPI_INT, rank.values.data(), 1, MPI_INT, rank.row,
                          &rank.requests[0]);
  MPI_Wait(&rank.requests[0], no_status);
}

WAY(way_create_group) {
  MPI_Group all = MPI_GROUP_NULL;
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Comm_group(world, &all);
  come(rank, 0);
  MPI_Comm_create_group(world, all, tag, &made);
  MPI_Group_free(&all);
  meet();
  MPI_Comm_free(&made);
}

WAY(way_file_open) {
  come(rank, 0);
  MPI_File_open(world, rank.path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &rank.file);
}

WAY(way_file_write_all) {
  come(rank, 0);
  MPI_File_write_at_all(rank.file, rank.number * large, rank.data.data(), large, MPI_CHAR, no_status);
}

WAY(way_file_close) {
  come(rank, 0);
  MPI_File_close(&rank.file);
}

WAY(way_fence) {
  come(rank, 0);
  MPI_Win_fence(0, rank.shared);
}

WAY(way_post_and_wait) {
  MPI_Group all = MPI_GROUP_NULL;
  MPI_Group one = MPI_GROUP_NULL;
  const int other = rank.other();
  MPI_Comm_group(world, &all);
  MPI_Group_incl(all, 1, &other, &one);
  come(rank, 0);
  if (rank.is_first()) MPI_Win_start(one, 0, rank.shared);
  if (rank.is_first()) MPI_Win_complete(rank.shared);
  if (!rank.is_first()) MPI_Win_post(one, 0, rank.shared);
  if (!rank.is_first()) MPI_Win_wait(rank.shared);
  MPI_Group_free(&one);
  MPI_Group_free(&all);
}

/// Rank 0 holds the lock until it arrives.
WAY(way_lock) {
  if (rank.is_first()) MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, rank.shared);
  come(rank, 0);
  if (!rank.is_first()) MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, rank.shared);
  MPI_Win_unlock(0, rank.shared);
}

WAY(way_lock_all) {
  if (rank.is_first()) MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, rank.shared);
  come(rank, 0);
  if (rank.is_first()) MPI_Win_unlock(0, rank.shared);
  if (!rank.is_first()) MPI_Win_lock_all(0, rank.shared);
  if (!rank.is_first()) MPI_Get(&rank.value, 1, MPI_INT, 0, 0, 1, MPI_INT, rank.shared);
  if (!rank.is_first()) MPI_Win_unlock_all(rank.shared);
}

/// Whether this needs the late rank's processor is the transport's to know.
WAY(way_flush) {
  if (!rank.is_first()) MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, rank.own);
  come(rank, 0);
  if (rank.is_first()) return;
  MPI_Put(&rank.value, 1, MPI_INT, 0, 0, 1, MPI_INT, rank.own);
  MPI_Win_flush(0, rank.own);
  MPI_Win_unlock(0, rank.own);
}

WAY(way_fetch_and_op) {
  if (!rank.is_first()) MPI_Win_lock_all(0, rank.own);
  come(rank, 0);
  if (rank.is_first()) return;
  int one = 1;
  MPI_Fetch_and_op(&one, &rank.value, MPI_INT, 0, 0, MPI_SUM, rank.own);
  MPI_Win_flush_all(rank.own);
  MPI_Win_unlock_all(rank.own);
}

namespace {

struct Way {
  const char* name;
  void (*go)(Rank& rank);
};

#define LISTED(name) \
  Way {              \
#name, name      \
  }
constexpr std::array ways{LISTED(way_send),
                          LISTED(way_ibsend),
                          LISTED(way_issend),
                          LISTED(way_irsend),
                          LISTED(way_persistent),
                          LISTED(way_persistent_ssend_to_late_receive),
                          LISTED(way_waitsome),
                          LISTED(way_waitany),
                          LISTED(way_test),
                          LISTED(way_testall),
                          LISTED(way_testany),
                          LISTED(way_testsome),
                          LISTED(way_mprobe),
                          LISTED(way_improbe),
                          LISTED(way_sendrecv_replace),
                          LISTED(way_ssend_to_late_receive),
                          LISTED(way_issend_to_late_receive),
                          LISTED(way_issend_tested_to_late_receive),
                          LISTED(way_large_send_to_late_receive),
                          LISTED(way_short_send_to_late_receive),
                          LISTED(way_large_send_to_computing),
                          LISTED(way_large_receive_from_computing),
                          LISTED(way_iallreduce_with_computing),
                          LISTED(way_neighbor_allgather),
                          LISTED(way_neighbor_allgatherv),
                          LISTED(way_neighbor_alltoall),
                          LISTED(way_neighbor_alltoallv),
                          LISTED(way_neighbor_alltoallw),
                          LISTED(way_ineighbor_allgather),
                          LISTED(way_create_group),
                          LISTED(way_file_open),
                          LISTED(way_file_write_all),
                          LISTED(way_file_close),
                          LISTED(way_fence),
                          LISTED(way_post_and_wait),
                          LISTED(way_lock),
                          LISTED(way_lock_all),
                          LISTED(way_flush),
                          LISTED(way_fetch_and_op)};

void prepare(Rank& rank) {
  constexpr int dimensions = 1;
  const int ranks = 2;
  const int is_ring = 0;
  MPI_Comm_rank(world, &rank.number);
  MPI_Cart_create(world, dimensions, &ranks, &is_ring, 0, &rank.row);
  void* memory = nullptr;
  MPI_Win_allocate(64, sizeof(int), MPI_INFO_NULL, world, &memory, &rank.shared);
  MPI_Win_create(rank.data.data(), large, sizeof(int), MPI_INFO_NULL, world, &rank.own);
}

void release(Rank& rank) {
  MPI_Win_free(&rank.own);
  MPI_Win_free(&rank.shared);
  MPI_Comm_free(&rank.row);
}

/// The times of one rank in one way; `stolen_s` by its kernel's count since its arrival.
struct Stamp {
  double came_s = 0;
  double left_s = 0;
  double stolen_s = 0;
};
using Stamps = std::array<Stamp, ways.size()>;

void print(const char* name, double Stamp::*value, const Stamp& first, const Stamp& second) {
  std::printf(", \"%s\": [%.9f, %.9f]", name, first.*value, second.*value);
}

void print(const std::array<Stamps, 2>& all) {
  for (std::size_t i = 0; i < ways.size(); ++i) {
    std::printf("%s{\"way\": \"%s\"", i == 0 ? "[" : ",\n ", ways[i].name);
    print("came_s", &Stamp::came_s, all[0][i], all[1][i]);
    print("left_s", &Stamp::left_s, all[0][i], all[1][i]);
    print("stolen_s", &Stamp::stolen_s, all[0][i], all[1][i]);
    std::printf("}");
  }
  std::printf("]\n");
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  static std::array<char, 1 << 16> buffer;
  MPI_Buffer_attach(buffer.data(), buffer.size());
  Rank rank;
  prepare(rank);
  rank.path = argc > 1 ? argv[1] : "profiled_ways.out";
  rank.pause_s = argc > 2 ? std::atof(argv[2]) * 1e-3 : 0.03;
  Stamps stamps{};
  for (std::size_t i = 0; i < ways.size(); ++i) {
    meet();  // what the last way holds, such as a lock, is given back
    ways[i].go(rank);
    stamps[i] = {rank.came_s, monotonic_s(), theft_s() - rank.stolen_before_s};
  }
  meet();
  std::array<Stamps, 2> all{};
  constexpr int count = static_cast<int>(sizeof stamps / sizeof(double));
  MPI_Gather(stamps.data(), count, MPI_DOUBLE, all.data(), count, MPI_DOUBLE, 0, world);
  if (rank.number == 0) print(all);
  release(rank);
  void* detached = nullptr;
  int size = 0;
  MPI_Buffer_detach(&detached, &size);
  MPI_Finalize();
}
