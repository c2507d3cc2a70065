/* A C program that knows nothing of the profile. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  int rank, ranks, token = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (rank == 0) {
    MPI_Send(&token, 1, MPI_INT, 1, 5, MPI_COMM_WORLD);
    MPI_Recv(&token, 1, MPI_INT, ranks - 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("%d\n", token);
  } else {
    MPI_Recv(&token, 1, MPI_INT, rank - 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    token += rank;
    MPI_Send(&token, 1, MPI_INT, (rank + 1) % ranks, 5, MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
