! Around by `use mpi`, with the constants that only Fortran has in this form.
program ring
  use mpi
  implicit none
  integer :: rank, ranks, ierr, request(2), statuses(MPI_STATUS_SIZE, 2), to, from
  double precision :: values(100), got(100), total
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  to = mod(rank + 1, ranks); from = mod(rank + ranks - 1, ranks)
  values = rank
  call MPI_Irecv(got, 100, MPI_DOUBLE_PRECISION, from, 5, MPI_COMM_WORLD, request(1), ierr)
  call MPI_Isend(values, 100, MPI_DOUBLE_PRECISION, to, 5, MPI_COMM_WORLD, request(2), ierr)
  call MPI_Waitall(2, request, statuses, ierr)
  call MPI_Sendrecv(values, 10, MPI_DOUBLE_PRECISION, to, 6, got, 100, MPI_DOUBLE_PRECISION, from, 6, &
                    MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
  call MPI_Allreduce(MPI_IN_PLACE, values, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
  total = values(1)
  if (rank == 0) print "(F4.1,F4.1)", total, got(1)
  call MPI_Finalize(ierr)
end program
