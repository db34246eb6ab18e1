! A grid whose ranks stay and whose coordinates move (MARSHAL_CART_MOVE), seen from mpi_f08: optional ierror, buffers as descriptors, LOGICAL
! arrays.
! cluster: nodes=3 ranks=12 env=MARSHAL_CART_MOVE=coordinates
program moved_cells_f08
  use mpi_f08
  implicit none
  type(MPI_Comm) :: grid, column, copy
  type(MPI_Request) :: request
  integer :: world_rank, rank, d, back, failures, total, source, destination
  integer :: coords(2), dims(2), own(2), neighbours(4), got(4), spread(8), cell
  logical :: periods(2), moved

  failures = 0
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, world_rank)
  call MPI_Cart_create(MPI_COMM_WORLD, 2, [4, 3], [.true., .true.], .true., grid)
  call MPI_Comm_rank(grid, rank)
  call expect(rank == world_rank, "the rank stays")
  call MPI_Cart_get(grid, 2, dims, periods, own)
  call expect(all(dims == [4, 3]) .and. all(periods), "dims and periods")
  call MPI_Cart_coords(grid, rank, 2, coords)
  call expect(all(coords == own), "coordinates")
  call MPI_Cart_rank(grid, coords, back)
  call expect(back == rank, "the rank of the coordinates")
  cell = coords(1) * 3 + coords(2)
  call MPI_Allreduce(cell /= rank, moved, 1, MPI_LOGICAL, MPI_LOR, MPI_COMM_WORLD)
  call expect(moved, "something moved")
  do d = 0, 1
    call MPI_Cart_shift(grid, d, 1, neighbours(2 * d + 1), neighbours(2 * d + 2))
    call MPI_Cart_coords(grid, neighbours(2 * d + 2), 2, coords)
    call expect(coords(d + 1) == modulo(own(d + 1) + 1, dims(d + 1)) .and. coords(2 - d) == own(2 - d), "the next one")
  end do
  got = -1
  call MPI_Neighbor_allgather(rank, 1, MPI_INTEGER, got, 1, MPI_INTEGER, grid)
  call expect(all(got == neighbours), "MPI_Neighbor_allgather")
  spread = -1
  call MPI_Neighbor_allgather(rank, 1, MPI_INTEGER, spread(1:4), 1, MPI_INTEGER, grid)
  call expect(all(spread(1:4) == neighbours) .and. all(spread(5:8) == -1), "into a section")
  call MPI_Comm_dup(grid, copy)
  got = -1
  call MPI_Ineighbor_allgather(rank, 1, MPI_INTEGER, got, 1, MPI_INTEGER, copy, request)
  call MPI_Wait(request, MPI_STATUS_IGNORE)
  call expect(all(got == neighbours), "MPI_Ineighbor_allgather on a duplicate")
  call MPI_Comm_free(copy)
  call MPI_Cart_sub(grid, [.true., .false.], column)
  call MPI_Cart_shift(column, 0, 1, source, destination)
  call MPI_Comm_rank(column, back)
  call expect(back == own(1) .and. destination == modulo(own(1) + 1, 4), "a column's order")
  call MPI_Comm_free(column)
  call MPI_Comm_free(grid)
  call MPI_Allreduce(failures, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
  call MPI_Finalize()
  if (total /= 0) stop 1

contains
  subroutine expect(good, what)
    logical, intent(in) :: good
    character(*), intent(in) :: what
    if (good) return
    failures = failures + 1
    print *, "rank", world_rank, ": ", what
  end subroutine expect
end program moved_cells_f08
