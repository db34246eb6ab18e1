! The inside of a ghosted array goes to a file whose rows the ranks share, and back, by mpi_f08.
! cluster: nodes=1 ranks=3 env=MARSHAL_FILES=on
program ghosted_array
  use mpi_f08
  implicit none
  integer, parameter :: n = 60, m = 40
  double precision, asynchronous :: out(0:n + 1, 0:m + 1), in(0:n + 1, 0:m + 1)
  integer :: me, ranks, wrong = 0, i, j, elements
  type(MPI_File) :: file
  type(MPI_Datatype) :: inside, column, interleaved
  type(MPI_Status) :: status
  type(MPI_Request) :: request
  integer(kind=MPI_OFFSET_KIND) :: displacement, at, position
  integer(kind=MPI_ADDRESS_KIND) :: extent
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, me)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  call MPI_Type_create_subarray(2, [n + 2, m + 2], [n, m], [1, 1], MPI_ORDER_FORTRAN, MPI_DOUBLE_PRECISION, inside)
  call MPI_Type_commit(inside)
  call MPI_Type_contiguous(n, MPI_DOUBLE_PRECISION, column)
  extent = 8 * n * ranks
  call MPI_Type_create_resized(column, 0_MPI_ADDRESS_KIND, extent, interleaved)
  call MPI_Type_commit(interleaved)
  call MPI_File_open(MPI_COMM_WORLD, 'ghosted_array.tmp', ior(MPI_MODE_CREATE, ior(MPI_MODE_RDWR, MPI_MODE_DELETE_ON_CLOSE)), &
                     MPI_INFO_NULL, file)
  displacement = 8 * n * me
  call MPI_File_set_view(file, displacement, MPI_DOUBLE_PRECISION, interleaved, 'native', MPI_INFO_NULL)

  call begin(1)
  call MPI_File_write(file, out, 1, inside, status)
  call MPI_Barrier(MPI_COMM_WORLD)
  call expect_moved('write', 1)
  at = 0
  call MPI_File_read_at(file, at, in, 1, inside, status)
  call expect('read_at')

  call begin(6)
  call MPI_File_write_at(file, at, out, 1, inside, MPI_STATUS_IGNORE)
  call MPI_Barrier(MPI_COMM_WORLD)
  call MPI_File_seek(file, at, MPI_SEEK_SET)
  call MPI_File_read_all(file, in, 1, inside, MPI_STATUS_IGNORE)
  call expect_elements('without a status')
  call expect_moved('read_all without a status', 1)

  call begin(2)
  call MPI_File_seek(file, at, MPI_SEEK_SET)
  call MPI_File_write_all(file, out, 1, inside, status)
  call MPI_Barrier(MPI_COMM_WORLD)
  call expect_moved('write_all', 1)
  call MPI_File_seek(file, at, MPI_SEEK_SET)
  call MPI_File_read_all(file, in, 1, inside, status)
  call expect_moved('read_all', 1)
  call expect('read_all')

  call begin(3)
  call MPI_File_write_at_all(file, at, out, 1, inside, status)
  call MPI_Barrier(MPI_COMM_WORLD)
  call MPI_File_seek(file, at, MPI_SEEK_SET)
  call MPI_File_read(file, in, 1, inside, status)
  call expect_moved('read', 1)
  call expect('read')

  call begin(4)
  call MPI_File_seek(file, at, MPI_SEEK_SET)
  call MPI_File_write_all_begin(file, out, 1, inside)
  call MPI_File_write_all_end(file, out, status)
  call MPI_Barrier(MPI_COMM_WORLD)
  call MPI_File_read_at_all_begin(file, at, in, 1, inside)
  call MPI_File_read_at_all_end(file, in, status)
  call expect('read_at_all_begin')

  call begin(5)
  call MPI_File_iwrite_at(file, at, out, 1, inside, request)
  call MPI_Wait(request, status)
  call MPI_File_iread_at(file, at, in, 1, inside, request)
  call MPI_Wait(request, status)
  call expect('iread_at')

  call MPI_File_close(file)
  call MPI_Type_free(inside)
  call MPI_Type_free(column)
  call MPI_Type_free(interleaved)
  call MPI_Finalize()
  if (wrong /= 0) error stop 'other elements'

contains

  subroutine begin(turn)
    integer, intent(in) :: turn
    do j = 0, m + 1
      do i = 0, n + 1
        out(i, j) = turn + 10d0 * me + 1000d0 * i + 100000d0 * j
        in(i, j) = -1
      end do
    end do
  end subroutine

  subroutine expect_moved(call, instances)
    character(*), intent(in) :: call
    integer, intent(in) :: instances
    call MPI_File_get_position(file, position)
    if (position /= instances * n * m) call note(call // ': the position is another')
  end subroutine

  subroutine expect(call)
    character(*), intent(in) :: call
    call MPI_Get_count(status, inside, elements)
    if (elements /= 1) call note(call // ': the count is another')
    call MPI_Get_elements(status, inside, elements)
    if (elements /= n * m) call note(call // ': another number of elements')
    call expect_elements(call)
  end subroutine

  subroutine expect_elements(call)
    character(*), intent(in) :: call
    do j = 0, m + 1
      do i = 0, n + 1
        if (in(i, j) /= merge(out(i, j), -1d0, i > 0 .and. i <= n .and. j > 0 .and. j <= m)) call note(call // ': other elements')
      end do
    end do
  end subroutine

  subroutine note(what)
    character(*), intent(in) :: what
    if (wrong == 0) print *, 'rank', me, what
    wrong = wrong + 1
  end subroutine
end program
