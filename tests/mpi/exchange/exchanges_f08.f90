! Exchanges of blocks from mpi_f08 as from C.
! cluster: sizes=1,3,2 env=MARSHAL_EXCHANGE=on
program exchanges
  use mpi_f08
  implicit none
  type(MPI_Datatype) :: pair, types(64)
  include 'exchanges_body.inc'

  ! Sections as buffers: the interface makes a datatype or a copy of its own. And no ierror.
  subroutine sections()
    integer :: wide(2, 2 * most), k
    call begin()
    wide = -1
    do k = 1, 2 * n
      wide(1, k) = out(k)
    end do
    call MPI_Alltoall(wide(1, 1:2 * n), 2, MPI_INTEGER, wide(2, 1:2 * n), 2, MPI_INTEGER, MPI_COMM_WORLD)
    in(1:2 * n) = wide(2, 1:2 * n)
    do k = 1, n
      call expect(2 * k - 1, k - 1, me)
    end do
  end subroutine
end program
