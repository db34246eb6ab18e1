! Neighbours' exchanges in Fortran with MPI_IN_PLACE, which MPI does not allow there, call the error handler as often as on the bare host,
! also where their buffers with gaps are packed by calls.
! cluster: ranks=2 compare=lines env=MARSHAL_MESSAGES=calls
module counting
  use mpi_f08
  implicit none
  integer :: calls = 0
contains
  subroutine count_calls(comm, code)
    type(MPI_Comm) :: comm
    integer :: code
    calls = calls + 1
  end subroutine
end module

program in_place_is_the_hosts
  use mpi_f08
  use counting
  implicit none
  integer, parameter :: rows = 32, cells = 1024
  type(MPI_Errhandler) :: handler
  type(MPI_Comm) :: ring
  type(MPI_Datatype) :: gapped
  integer :: numbers(cells) = 0
  call MPI_Init()
  call MPI_Comm_create_errhandler(count_calls, handler)
  call MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler)
  call MPI_Cart_create(MPI_COMM_WORLD, 1, [2], [.true.], .false., ring)
  call MPI_Comm_set_errhandler(ring, handler)
  call MPI_Type_vector(rows, 4, 8, MPI_INTEGER, gapped)
  call MPI_Type_commit(gapped)
  call MPI_Neighbor_alltoall(MPI_IN_PLACE, 1, gapped, numbers, 1, gapped, ring)
  call MPI_Neighbor_allgather(MPI_IN_PLACE, 1, gapped, numbers, 1, gapped, ring)
  print '(a, i0)', 'calls of the error handler: ', calls
  call MPI_Type_free(gapped)
  call MPI_Finalize()
end program
