! The new communicator's handle is a local of MPI's Fortran interface, which is gone when the wait ends.
program idup
  use mpi
  implicit none
  integer :: error, made, request
  call MPI_Init(error)
  call MPI_Comm_idup(MPI_COMM_WORLD, made, request, error)
  call use_the_stack()
  call MPI_Wait(request, MPI_STATUS_IGNORE, error)
  call MPI_Barrier(made, error)
  call MPI_Finalize(error)
contains
  subroutine use_the_stack()
    integer :: values(400), i
    do i = 1, 400
      values(i) = i * 7
    end do
    write(*, '(I0)') sum(values)
  end subroutine
end program
