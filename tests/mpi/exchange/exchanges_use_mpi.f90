! Exchanges of blocks from the module mpi as from C.
! cluster: sizes=1,3,2 env=MARSHAL_EXCHANGE=on exchanges=yes
program exchanges
  use mpi
  implicit none
  integer :: pair, types(64)
  include 'exchanges_body.inc'

  subroutine sections()
  end subroutine
end program
