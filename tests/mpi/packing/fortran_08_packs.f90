! MPI_Pack and MPI_Unpack by mpi_f08, whose buffers may be sections with gaps: as descriptors where the host takes them, else as copies.
! cluster: nodes=1 ranks=1 env=MARSHAL_PACK=mars
! cluster: nodes=1 ranks=1 env=MARSHAL_PACK=auto
program fortran_08_packs
  use mpi_f08
  implicit none
  integer, parameter :: n = 12, turns = 80
  double precision :: a(n, n), b(n, n), packed(4 * n * n)
  type(MPI_Datatype) :: row, pair
  integer :: turn, position, wrong, i, j

  call MPI_Init()
  wrong = 0
  do j = 1, n
    do i = 1, n
      a(i, j) = i + 100 * j
    end do
  end do
  call MPI_Type_vector(n, 1, n, MPI_DOUBLE_PRECISION, row)
  call MPI_Type_commit(row)
  call MPI_Type_contiguous(2, MPI_DOUBLE_PRECISION, pair)
  call MPI_Type_commit(pair)
  do turn = 1, turns
    position = 0
    call MPI_Pack(a(3, 1), 1, row, packed, 8 * size(packed), position, MPI_COMM_WORLD)
    if (position /= 8 * n .or. any(packed(1:n) /= a(3, :))) wrong = wrong + 1
    b = -1
    position = 0
    call MPI_Unpack(packed, 8 * size(packed), position, b(4, 1), 1, row, MPI_COMM_WORLD)
    if (position /= 8 * n .or. any(b(4, :) /= a(3, :))) wrong = wrong + 1
    ! A whole array with a derived type, contiguous.
    position = 0
    call MPI_Pack(a, n * n / 2, pair, packed, 8 * size(packed), position, MPI_COMM_WORLD)
    if (position /= 8 * n * n .or. any(reshape(packed(1:n * n), [n, n]) /= a)) wrong = wrong + 1
    call sections()
  end do
  call MPI_Type_free(row)
  call MPI_Type_free(pair)
  print '(i0, a)', wrong, ' wrong'
  call MPI_Finalize()
  if (wrong /= 0) stop 1

contains

  ! Sections with gaps, of a basic and of a derived type. The result is the host's (MPICH 4.0 packs other elements than those of the
  ! section); it must be the same.
  subroutine sections()
    integer :: host_position
    double precision :: by_host(4 * n * n), c(n, n)
    packed = -2
    by_host = -2
    position = 0
    call MPI_Pack(a(1:n:2, 2), n / 2, MPI_DOUBLE_PRECISION, packed, 8 * size(packed), position, MPI_COMM_WORLD)
    host_position = 0
    call PMPI_Pack(a(1:n:2, 2), n / 2, MPI_DOUBLE_PRECISION, by_host, 8 * size(by_host), host_position, MPI_COMM_WORLD)
    call MPI_Pack(a(1:n:3, 2:n:2), n, pair, packed, 8 * size(packed), position, MPI_COMM_WORLD)
    call PMPI_Pack(a(1:n:3, 2:n:2), n, pair, by_host, 8 * size(by_host), host_position, MPI_COMM_WORLD)
    if (position /= host_position .or. any(packed /= by_host)) wrong = wrong + 1
    if (.not. MPI_SUBARRAYS_SUPPORTED) return  ! copies: what is unpacked into one is lost, or not
    b = -1
    c = -1
    position = 0
    call MPI_Unpack(packed, 8 * size(packed), position, b(1:n:3, 2:n:2), n, pair, MPI_COMM_WORLD)
    host_position = 0
    call PMPI_Unpack(packed, 8 * size(packed), host_position, c(1:n:3, 2:n:2), n, pair, MPI_COMM_WORLD)
    if (position /= host_position .or. any(b /= c)) wrong = wrong + 1
    ! Into a packed buffer with gaps.
    packed = -1
    by_host = -1
    position = 0
    call MPI_Pack(a(1, 2), n / 2, pair, packed(1:2 * n:2), 8 * n, position, MPI_COMM_WORLD)
    host_position = 0
    call PMPI_Pack(a(1, 2), n / 2, pair, by_host(1:2 * n:2), 8 * n, host_position, MPI_COMM_WORLD)
    if (position /= host_position .or. any(packed /= by_host)) wrong = wrong + 1
  end subroutine
end program
