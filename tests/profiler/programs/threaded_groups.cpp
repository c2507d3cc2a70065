// Two ranks under MPI_THREAD_MULTIPLE. Another thread of rank 1 takes part in creating a group, which must
// work as without the profiler, and a duplicate. Then the main threads create two more, with a barrier each.
#include <mpi.h>

#include <thread>

namespace {

void require(bool holds) {
  if (!holds) MPI_Abort(MPI_COMM_WORLD, 3);
}

void group_of_all(int rank) {
  MPI_Group world = MPI_GROUP_NULL;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Comm_create_group(MPI_COMM_WORLD, world, 5, &made);
  long value = rank == 0 ? 42 : -1;
  MPI_Bcast(&value, 1, MPI_LONG, 0, made);
  require(value == 42);
  MPI_Group_free(&world);
  MPI_Comm duplicate = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &duplicate);
}

}  // namespace

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  require(provided == MPI_THREAD_MULTIPLE);
  int level = MPI_THREAD_SINGLE;
  MPI_Query_thread(&level);
  require(level == MPI_THREAD_MULTIPLE);  // whatever was looked up in MPI's tools interface meanwhile
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 1)
    std::thread(group_of_all, rank).join();
  else
    group_of_all(rank);
  for (int i = 0; i < 2; ++i) {
    MPI_Comm duplicate = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &duplicate);
    MPI_Barrier(duplicate);
  }
  MPI_Finalize();
}
