! MPI_Pack and MPI_Unpack by mpif.h: a column, a row, a row of a type of MPI_Type_create_f90_real, a part of an array, in pieces.
! cluster: nodes=1 ranks=1 env=MARSHAL_PACK=mars
! cluster: nodes=1 ranks=1 env=MARSHAL_PACK=auto
program fortran_packs
  implicit none
  include 'mpif.h'
  integer, parameter :: n = 12, turns = 80
  double precision :: a(n, n), b(n, n), line(n), packed(4 * n * n)
  integer :: ierror, row, part, f90_real, f90_row, turn, position, wrong, i, j, k
  integer :: sizes(2), subsizes(2), starts(2)

  call MPI_Init(ierror)
  wrong = 0
  do j = 1, n
    do i = 1, n
      a(i, j) = i + 100 * j
    end do
  end do
  call MPI_Type_vector(n, 1, n, MPI_DOUBLE_PRECISION, row, ierror)
  call MPI_Type_commit(row, ierror)
  sizes = [n, n]
  subsizes = [3, 4]
  starts = [2, 5]
  call MPI_Type_create_subarray(2, sizes, subsizes, starts, MPI_ORDER_FORTRAN, MPI_DOUBLE_PRECISION, part, ierror)
  call MPI_Type_commit(part, ierror)
  call MPI_Type_create_f90_real(15, 300, f90_real, ierror)
  call MPI_Type_vector(n, 1, n, f90_real, f90_row, ierror)
  call MPI_Type_commit(f90_row, ierror)
  do turn = 1, turns
    position = 0
    call MPI_Pack(a(5, 1), 1, f90_row, line, 8 * n, position, MPI_COMM_WORLD, ierror)
    if (any(line /= a(5, :)) .or. position /= 8 * n) wrong = wrong + 1
    ! Two rows and the part behind each other in one buffer.
    packed = 0
    position = 0
    call MPI_Pack(a(3, 1), 1, row, packed, 8 * 4 * n * n, position, MPI_COMM_WORLD, ierror)
    call MPI_Pack(a(7, 1), 1, row, packed, 8 * 4 * n * n, position, MPI_COMM_WORLD, ierror)
    call MPI_Pack(a, 1, part, packed, 8 * 4 * n * n, position, MPI_COMM_WORLD, ierror)
    if (position /= 8 * (2 * n + 12)) wrong = wrong + 1
    do j = 1, n
      if (packed(j) /= a(3, j) .or. packed(n + j) /= a(7, j)) wrong = wrong + 1
    end do
    k = 2 * n
    do j = 6, 9
      do i = 3, 5
        k = k + 1
        if (packed(k) /= a(i, j)) wrong = wrong + 1
      end do
    end do
    b = -1
    position = 0
    call MPI_Unpack(packed, 8 * 4 * n * n, position, b(1, 1), 1, row, MPI_COMM_WORLD, ierror)
    call MPI_Unpack(packed, 8 * 4 * n * n, position, b(2, 1), 1, row, MPI_COMM_WORLD, ierror)
    call MPI_Unpack(packed, 8 * 4 * n * n, position, b, 1, part, MPI_COMM_WORLD, ierror)
    if (any(b(1, :) /= a(3, :)) .or. any(b(2, :) /= a(7, :)) .or. any(b(3:5, 6:9) /= a(3:5, 6:9))) wrong = wrong + 1
    b(1:2, :) = -1
    b(3:5, 6:9) = -1
    if (any(b /= -1)) wrong = wrong + 1
    ! A column without any derived type.
    position = 0
    call MPI_Pack(a(1, 5), n, MPI_DOUBLE_PRECISION, line, 8 * n, position, MPI_COMM_WORLD, ierror)
    if (any(line /= a(:, 5)) .or. position /= 8 * n) wrong = wrong + 1
  end do
  call MPI_Type_free(row, ierror)
  call MPI_Type_free(part, ierror)
  call MPI_Type_free(f90_row, ierror)
  print '(i0, a)', wrong, ' wrong'
  call MPI_Finalize(ierror)
  if (wrong /= 0) stop 1
end program
