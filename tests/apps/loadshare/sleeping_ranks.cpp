#include <mpi.h>

#include <chrono>
#include <cstdlib>
#include <thread>

/// `sleeping_ranks N`: each of its p ranks sleeps for N / p microseconds in two parts, and meets the others
/// after each: what a profile tells of such a program is known, however busy the machine.
int main(int argc, char** argv) {
  if (argc != 2) return 2;
  MPI_Init(&argc, &argv);
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  constexpr int parts = 2;
  const std::chrono::duration<double, std::micro> part(std::atof(argv[1]) / ranks / parts);
  for (int i = 0; i < parts; ++i) {
    std::this_thread::sleep_for(part);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Finalize();
}
