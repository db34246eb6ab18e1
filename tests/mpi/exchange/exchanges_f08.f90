! Exchanges of blocks from mpi_f08 as from C.
! cluster: sizes=1,3,2 env=MARSHAL_EXCHANGE=on exchanges=yes
program exchanges
  use mpi_f08
  implicit none
  type(MPI_Datatype) :: pair, types(64)
  include 'exchanges_body.inc'

  ! Sections as buffers: the interface makes a datatype or a copy of its own. That of MPICH 4.0 is wrong. And no ierror.
  subroutine sections()
    integer :: wide(2, 2 * most), bare(2, 2 * most), length
    character(len=MPI_MAX_LIBRARY_VERSION_STRING) :: version
    call MPI_Get_library_version(version, length)
    if (index(version, 'MPICH') > 0) return
    call begin()
    wide = -1
    wide(1, :) = out
    bare = wide
    call PMPI_Alltoall(bare(1, 1:2 * n), 2, MPI_INTEGER, bare(2, 1:2 * n), 2, MPI_INTEGER, MPI_COMM_WORLD)
    call MPI_Alltoall(wide(1, 1:2 * n), 2, MPI_INTEGER, wide(2, 1:2 * n), 2, MPI_INTEGER, MPI_COMM_WORLD)
    if (any(wide /= bare)) wrong = wrong + 1
  end subroutine
end program
