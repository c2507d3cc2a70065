/* Rank 0 prepares by itself, which is not marked as counting; in what counts it computes twice as much as the others. */
#include <mpi.h>
#include <time.h>

static double processor_s(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void compute(double seconds) {
  const double end_s = processor_s() + seconds;
  while (processor_s() < end_s) {
  }
}

static void work(int rank) {
  for (int step = 0; step < 20; ++step) {
    compute(rank == 0 ? 0.004 : 0.002);
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) compute(0.2);
  MPI_Pcontrol(1);
  work(rank);
  MPI_Pcontrol(0);
  if (rank == 0) compute(0.1);
  MPI_Finalize();
  return 0;
}
