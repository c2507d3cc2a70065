// Collectives, communicators and windows of 3 ranks.
#include <mpi.h>

#include <array>
#include <cstdint>

namespace {

constexpr int ranks = 3;

void require(bool holds) {
  if (!holds) MPI_Abort(MPI_COMM_WORLD, 3);
}

/// A communicator of ranks 2 and 0, in this order, and one of rank 1; a message with tag 70 between the first
/// two.
void split(int rank) {
  MPI_Comm part = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &part);
  MPI_Comm_set_name(part, "halves");
  int value = rank;
  if (rank == 0) {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Irecv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 70, part, &request);
    MPI_Comm_free(&part);  // before the receive is over
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    require(value == 2);
    return;
  }
  if (rank == 2) MPI_Send(&value, 1, MPI_INT, 1, 70, part);
  MPI_Comm_free(&part);
}

/// Collectives to rank 1 from the remote group, with invalid values for meaningless arguments.
void gather_across(int rank, MPI_Comm across) {
  int sent = 9;
  int got = 0;
  const auto none = reinterpret_cast<MPI_Datatype>(std::uintptr_t{16});
  if (rank == 0) MPI_Gather(&sent, 1, MPI_INT, nullptr, 3, none, 0, across);
  if (rank == 1) MPI_Gather(nullptr, 3, none, &got, 1, MPI_INT, MPI_ROOT, across);
  if (rank == 2) MPI_Gather(nullptr, 3, none, nullptr, 3, none, MPI_PROC_NULL, across);
  require(rank != 1 || got == 9);
}

/// An intercommunicator of rank 0 and ranks 1 and 2, with a message of tag 71 from 0 to 2. Then a merge of
/// both groups.
void between(int rank) {
  MPI_Comm side = MPI_COMM_NULL;
  MPI_Comm across = MPI_COMM_NULL;
  MPI_Comm all = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank == 0 ? 0 : 1, rank, &side);
  MPI_Intercomm_create(side, 0, MPI_COMM_WORLD, rank == 0 ? 1 : 0, 5, &across);
  int value = 7;
  if (rank == 0) MPI_Send(&value, 1, MPI_INT, 1, 71, across);
  if (rank == 2) MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 71, across, MPI_STATUS_IGNORE);
  MPI_Bcast(&value, 1, MPI_INT, rank == 0 ? MPI_ROOT : 0, across);
  gather_across(rank, across);
  MPI_Intercomm_merge(across, rank == 0 ? 0 : 1, &all);
  MPI_Barrier(all);
  MPI_Comm_free(&all);
  MPI_Comm_free(&across);
  MPI_Comm_free(&side);
}

void duplicates() {
  MPI_Comm same = MPI_COMM_NULL;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Comm_idup(MPI_COMM_WORLD, &same, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Barrier(same);
  MPI_Comm_free(&same);
}

/// Collectives with 8 bytes per element, in place if that is allowed.
void collectives(int rank) {
  std::array<double, 10> one{};
  std::array<double, 30> many{};
  const std::array<int, ranks> counts{1, 2, 3};
  const std::array<int, ranks> places{0, 1, 3};
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Bcast(one.data(), 10, MPI_DOUBLE, 1, MPI_COMM_WORLD);
  MPI_Reduce(one.data(), many.data(), 10, MPI_DOUBLE, MPI_SUM, 2, MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, one.data(), 10, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Gatherv(one.data(), rank + 1, MPI_DOUBLE, many.data(), rank == 0 ? counts.data() : nullptr,
              rank == 0 ? places.data() : nullptr, rank == 0 ? MPI_DOUBLE : MPI_DATATYPE_NULL, 0,
              MPI_COMM_WORLD);
  MPI_Scatter(many.data(), 2, MPI_DOUBLE, one.data(), 2, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, many.data(), 1, MPI_DOUBLE, MPI_COMM_WORLD);
  MPI_Alltoall(many.data(), 1, MPI_DOUBLE, many.data() + 15, 1, MPI_DOUBLE, MPI_COMM_WORLD);
  MPI_Scan(one.data(), many.data(), 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallreduce(one.data(), many.data(), 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/// A fence, a put under a lock, and post-start-complete-wait from 0 to 1 and 2.
void windows(int rank) {
  std::array<int, ranks> memory{};
  int value = rank;
  MPI_Win window = MPI_WIN_NULL;
  MPI_Win_create(memory.data(), sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Win_fence(MPI_MODE_NOPRECEDE, window);
  MPI_Put(&value, 1, MPI_INT, (rank + 1) % ranks, rank, 1, MPI_INT, window);
  MPI_Win_fence(0, window);
  require(memory[static_cast<std::size_t>((rank + 2) % ranks)] == (rank + 2) % ranks);
  MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
  MPI_Get(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, window);
  MPI_Win_unlock(0, window);
  MPI_Group world = MPI_GROUP_NULL;
  MPI_Group some = MPI_GROUP_NULL;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  const std::array<int, 2> named{rank == 0 ? 1 : 0, 2};
  MPI_Group_incl(world, rank == 0 ? 2 : 1, named.data(), &some);
  if (rank == 0) {
    MPI_Win_start(some, 0, window);
    MPI_Win_complete(window);
  } else {
    MPI_Win_post(some, 0, window);
    MPI_Win_wait(window);
  }
  MPI_Group_free(&some);
  MPI_Group_free(&world);
  MPI_Win_free(&window);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  split(rank);
  between(rank);
  duplicates();
  collectives(rank);
  windows(rank);
  MPI_Finalize();
}
