! MPI_Cart_create with reorder from mpif.h: cells in row-major order, on other processes than in the given order, and
! MPI_Cart_map and MPI_Dims_create in step.
! cluster: nodes=3 ranks=12 cyclic=yes env=MARSHAL_DIMS=balanced
program cart_create
  implicit none
  include 'mpif.h'
  integer :: grid
  integer :: rank, cell, mapped, moved, all_moved, dims(2), coords(2)
  logical :: periods(2)
  integer :: ierr
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  dims = [2, 6]
  periods = .false.
  call MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, .true., grid, ierr)
  call MPI_Comm_rank(grid, cell, ierr)
  call MPI_Cart_coords(grid, cell, 2, coords, ierr)
  call MPI_Cart_map(MPI_COMM_WORLD, 2, dims, periods, mapped, ierr)
  if (coords(1) * 6 + coords(2) /= cell) error stop 'cells are not in row-major order'
  if (mapped /= cell) error stop 'MPI_Cart_map says otherwise'
  moved = merge(1, 0, cell /= rank)
  call MPI_Allreduce(moved, all_moved, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
  if (all_moved == 0) error stop 'nobody moved'
  dims = 0
  call MPI_Dims_create(4800, 2, dims, ierr)
  if (any(dims /= [75, 64])) error stop 'not the most balanced dimensions'
  call MPI_Finalize(ierr)
end program
