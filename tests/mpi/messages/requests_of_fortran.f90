! Requests of gapped buffers end in mpi_f08 as on the bare host: statuses, indices, elements, cancelled ones, and a message that is cut.
! cluster: nodes=1 ranks=2 compare=lines env=MARSHAL_MESSAGES=calls env=MARSHAL_PACK=mars
program requests_of_fortran
  use mpi_f08
  implicit none
  integer, parameter :: rows = 400, columns = 30, n = 4
  real(8) :: from(rows, columns), to(rows, columns, n)
  type(MPI_Datatype) :: row
  type(MPI_Request) :: requests(2 * n)
  type(MPI_Status) :: status, statuses(2 * n)
  type(MPI_Comm) :: comm
  integer :: me, other, i, turn, index, done, indices(2 * n), elements, error, class, first, ended
  logical :: flag, cancelled, alive(2 * n)
  call MPI_Init()
  call MPI_Comm_dup(MPI_COMM_WORLD, comm)
  call MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN)
  call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN)
  call MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN)
  call MPI_Comm_rank(comm, me)
  other = 1 - me
  call MPI_Type_vector(columns, 5, rows, MPI_DOUBLE_PRECISION, row)
  call MPI_Type_commit(row)
  do turn = 1, 12
    do i = 1, columns
      from(:, i) = [(1000 * me + turn + 0.5 * first + i, first = 1, rows)]
    end do
    to = -1
    do i = 1, n
      call MPI_Irecv(to(3 * i, 1, i), 1, row, MPI_ANY_SOURCE, i, comm, requests(i))
    end do
    call MPI_Barrier(comm)
    do i = 1, n
      if (turn == 12 .and. i == 2) then
        call MPI_Isend(from, 5 * columns + 90, MPI_DOUBLE_PRECISION, other, i, comm, requests(n + i))
      else
        call MPI_Isend(from(i, 1), 1, row, other, i, comm, requests(n + i))
      end if
    end do
    alive = .true.
    ended = 0
    select case (mod(turn, 6))
    case (0)
      statuses(:)%MPI_ERROR = 0
      call MPI_Waitall(2 * n, requests, statuses, error)
      call MPI_Error_class(error, class)
      print '(a, 3i5)', 'waitall', me, turn, class
      if (class /= MPI_SUCCESS) call MPI_Error_class(statuses(2)%MPI_ERROR, class)
      if (class /= MPI_SUCCESS) print '(a, 2i5)', 'of the second', me, class
      do i = 1, 2 * n
        if (requests(i) /= MPI_REQUEST_NULL) call MPI_Wait(requests(i), statuses(i))
      end do
    case (1)
      do i = 1, 2 * n
        call MPI_Wait(requests(i), statuses(i))
      end do
    case (2)  ! the index is not looked at: MPICH 4.0 counts from 0 on here
      do i = 1, 2 * n
        call MPI_Waitany(2 * n, requests, index, status)
      end do
    case (3)
      do while (ended < 2 * n)
        call MPI_Testsome(2 * n, requests, done, indices, statuses)
        ended = ended + done
      end do
    case (4)
      flag = .false.
      do while (.not. flag)
        call MPI_Testall(2 * n, requests, flag, statuses)
      end do
    case (5)
      call MPI_Waitall(2 * n, requests, MPI_STATUSES_IGNORE)
    end select
    if (mod(turn, 6) < 2 .or. mod(turn, 6) == 4) then
      do i = 1, n
        call MPI_Get_elements(statuses(i), row, elements)
        print '(a, 6i6)', 'receive', me, turn, i, statuses(i)%MPI_SOURCE, statuses(i)%MPI_TAG, elements
      end do
    end if
    if (turn == 12) to(:, :, 2) = 0
    print '(a, 2i5, 2f20.4)', 'memory', me, turn, sum(to), sum(to * to)
    call MPI_Irecv(to, 1, row, other, 99, comm, requests(1))
    call MPI_Cancel(requests(1))
    call MPI_Wait(requests(1), status)
    call MPI_Test_cancelled(status, cancelled)
    print '(a, i5, l2)', 'cancelled', me, cancelled
    call MPI_Barrier(comm)
  end do
  call MPI_Type_free(row)
  call MPI_Comm_free(comm)
  call MPI_Finalize()
end program
