! Rows of a matrix and parts of it go to another rank from mpi_f08 as from C.
! cluster: nodes=1 ranks=2 env=MARSHAL_MESSAGES=on
! cluster: nodes=1 ranks=2 env=MARSHAL_MESSAGES=calls env=MARSHAL_PACK=mars
program parts_of_a_matrix
  use mpi_f08
  implicit none
  integer, parameter :: n = 400, m = 300
  ! Targets, so that the compiler knows that a call with MPI_BOTTOM may change them. (MPICH 5.0 has no MPI_F_sync_reg.)
  double precision, target :: out(n, m), in(n, m)
  integer :: me, other, wrong = 0, i, j, turn
  integer :: counts(0:1), places(0:1)
  integer(kind=MPI_ADDRESS_KIND) :: address(1)
  type(MPI_Datatype) :: row, inside, absolute(2), types(0:1), others(0:1)
  type(MPI_Request) :: requests(2)
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, me)
  other = 1 - me
  call MPI_Type_vector(m, 1, n, MPI_DOUBLE_PRECISION, row)
  call MPI_Type_commit(row)
  call MPI_Type_create_subarray(2, [n, m], [n - 20, m - 20], [10, 10], MPI_ORDER_FORTRAN, MPI_DOUBLE_PRECISION, &
                                inside)
  call MPI_Type_commit(inside)

  call begin()
  call MPI_Irecv(in(7, 1), 1, row, other, 1, MPI_COMM_WORLD, requests(1))
  call MPI_Isend(out(3, 1), 1, row, other, 1, MPI_COMM_WORLD, requests(2))
  call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
  call expect_row('Isend of a row')

  call begin()
  call MPI_Sendrecv(out(3, 1), 1, row, other, 2, in(7, 1), 1, row, other, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
  call expect_row('Sendrecv of a row')

  call MPI_Recv_init(in, 1, inside, other, 3, MPI_COMM_WORLD, requests(1))
  call MPI_Send_init(out, 1, inside, other, 3, MPI_COMM_WORLD, requests(2))
  do turn = 1, 3
    call begin()
    call MPI_Startall(2, requests)
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
    call expect_inside('persistent requests')
  end do
  call MPI_Request_free(requests(1))
  call MPI_Request_free(requests(2))

  call begin()
  counts = 0
  counts(other) = 1
  places = 0
  types = inside
  call MPI_Alltoallw(out, counts, places, types, in, counts, places, types, MPI_COMM_WORLD)
  call expect_inside('Alltoallw')

  call begin()
  call MPI_Get_address(out, address(1))
  call MPI_Type_create_hindexed(1, [1], address, inside, absolute(1))
  call MPI_Get_address(in, address(1))
  call MPI_Type_create_hindexed(1, [1], address, inside, absolute(2))
  call MPI_Type_commit(absolute(1))
  call MPI_Type_commit(absolute(2))
  call MPI_Sendrecv(MPI_BOTTOM, 1, absolute(1), other, 4, MPI_BOTTOM, 1, absolute(2), other, 4, MPI_COMM_WORLD, &
                    MPI_STATUS_IGNORE)
  call expect_inside('MPI_BOTTOM')
  call begin()
  types = absolute(1)
  others = absolute(2)
  call MPI_Alltoallw(MPI_BOTTOM, counts, places, types, MPI_BOTTOM, counts, places, others, MPI_COMM_WORLD)
  call expect_inside('Alltoallw from MPI_BOTTOM')

  ! Sections as buffers: the interface makes a datatype or a copy of its own.
  call begin()
  call MPI_Sendrecv(out(3, :), m, MPI_DOUBLE_PRECISION, other, 5, in(7, :), m, MPI_DOUBLE_PRECISION, other, 5, &
                    MPI_COMM_WORLD, MPI_STATUS_IGNORE)
  call expect_row('a section as buffer')

  ! From each rank to the other; then from where the types say; then to and from sections.
  call begin()
  do turn = 0, 1
    if (me == turn) then
      call MPI_Bcast(out, 1, inside, turn, MPI_COMM_WORLD)
    else
      call MPI_Bcast(in, 1, inside, turn, MPI_COMM_WORLD)
    end if
  end do
  call expect_inside('Bcast')
  call begin()
  do turn = 0, 1
    if (me == turn) then
      call MPI_Bcast(MPI_BOTTOM, 1, absolute(1), turn, MPI_COMM_WORLD)
    else
      call MPI_Bcast(MPI_BOTTOM, 1, absolute(2), turn, MPI_COMM_WORLD)
    end if
  end do
  call expect_inside('Bcast from MPI_BOTTOM')
  call begin()
  do turn = 0, 1
    if (me == turn) then
      call MPI_Bcast(out(3, :), m, MPI_DOUBLE_PRECISION, turn, MPI_COMM_WORLD)
    else
      call MPI_Bcast(in(7, :), m, MPI_DOUBLE_PRECISION, turn, MPI_COMM_WORLD)
    end if
  end do
  call expect_row('Bcast of a section')

  call MPI_Type_free(row)
  call MPI_Type_free(inside)
  call MPI_Type_free(absolute(1))
  call MPI_Type_free(absolute(2))
  call MPI_Finalize()
  if (wrong /= 0) error stop 'other elements'

contains

  double precision function sent_by(rank, i, j)
    integer, intent(in) :: rank, i, j
    sent_by = rank + 10d0 * i + 10000d0 * j
  end function

  subroutine begin()
    do j = 1, m
      do i = 1, n
        out(i, j) = sent_by(me, i, j)
        in(i, j) = -1
      end do
    end do
  end subroutine

  ! The other's third row has come to the seventh.
  subroutine expect_row(call)
    character(*), intent(in) :: call
    do j = 1, m
      do i = 1, n
        if (in(i, j) /= merge(sent_by(other, 3, j), -1d0, i == 7)) call note(call)
      end do
    end do
  end subroutine

  subroutine expect_inside(call)
    character(*), intent(in) :: call
    do j = 1, m
      do i = 1, n
        if (in(i, j) /= merge(sent_by(other, i, j), -1d0, i > 10 .and. i <= n - 10 .and. j > 10 .and. j <= m - 10)) &
          call note(call)
      end do
    end do
  end subroutine

  subroutine note(call)
    character(*), intent(in) :: call
    if (wrong == 0) print *, 'rank', me, call, 'element', i, j, 'is', in(i, j)
    wrong = wrong + 1
  end subroutine
end program
