! A call of mpi_f08 that fails, and has no ierror, calls the error handler as often as on the bare host. One call a message: sends, a start,
! a broadcast, a reduction, an exchange of neighbours.
! cluster: ranks=2 compare=lines
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

program errors_without_ierror
  use mpi_f08
  use counting
  implicit none
  type(MPI_Errhandler) :: handler
  type(MPI_Comm) :: ring
  type(MPI_Request) :: request
  type(MPI_Datatype) :: gapped
  integer :: me, numbers(1024) = 0, sums(8) = 0, counts(2), places(2)
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, me)
  call MPI_Cart_create(MPI_COMM_WORLD, 1, [2], [.true.], .false., ring)
  call MPI_Comm_create_errhandler(count_calls, handler)
  call MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler)
  call MPI_Comm_set_errhandler(MPI_COMM_SELF, handler)
  call MPI_Comm_set_errhandler(ring, MPI_ERRORS_RETURN)

  call MPI_Send(numbers, 1, MPI_DATATYPE_NULL, 1 - me, 0, MPI_COMM_WORLD)
  call tell('Send')
  call MPI_Isend(numbers, 1, MPI_DATATYPE_NULL, 1 - me, 0, MPI_COMM_WORLD, request)
  call tell('Isend')
  call MPI_Send(numbers, 1, MPI_DATATYPE_NULL, 1 - me, 0, ring)
  call tell('Send, on a communicator that returns errors')
  call MPI_Send(numbers, 1, MPI_INTEGER, 7, 0, ring)
  call tell('Send to no rank')
  request = MPI_REQUEST_NULL
  call MPI_Start(request)
  call tell('Start')
  call MPI_Bcast(numbers, 1, MPI_DATATYPE_NULL, 0, ring)
  call tell('Bcast')
  call MPI_Allreduce(numbers, sums, 1, MPI_DATATYPE_NULL, MPI_SUM, ring)
  call tell('Allreduce')
  call MPI_Alltoall(numbers, 1, MPI_DATATYPE_NULL, sums, 1, MPI_DATATYPE_NULL, ring)
  call tell('Alltoall')
  call MPI_Neighbor_alltoall(numbers, 1, MPI_DATATYPE_NULL, sums, 1, MPI_DATATYPE_NULL, ring)
  call tell('Neighbor_alltoall')
  ! Neighbours' exchanges have no MPI_IN_PLACE. The other buffer has gaps.
  call MPI_Comm_set_errhandler(ring, handler)
  call MPI_Type_vector(32, 4, 8, MPI_INTEGER, gapped)
  call MPI_Type_commit(gapped)
  call MPI_Neighbor_alltoall(MPI_IN_PLACE, 1, gapped, numbers, 1, gapped, ring)
  call tell('Neighbor_alltoall, in place')
  call MPI_Neighbor_allgather(MPI_IN_PLACE, 1, gapped, numbers, 1, gapped, ring)
  call tell('Neighbor_allgather, in place')
  counts = 1
  places = 0
  call MPI_Neighbor_alltoallv(numbers, counts, places, gapped, sums, counts, places, MPI_DATATYPE_NULL, ring)
  call tell('Neighbor_alltoallv')
  call MPI_Type_free(gapped)
  call MPI_Finalize()
contains
  subroutine tell(what)
    character(*), intent(in) :: what
    print '(a, i2, 3a, i3)', 'rank', me, ', ', what, ': calls of the handler', calls
    calls = 0
  end subroutine
end program
