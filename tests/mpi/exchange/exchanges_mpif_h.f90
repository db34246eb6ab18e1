! Exchanges of blocks from mpif.h as from C.
! cluster: sizes=1,3,2 env=MARSHAL_EXCHANGE=on exchanges=yes
program exchanges
  implicit none
  include 'mpif.h'
  integer :: pair, types(64)
  include 'exchanges_body.inc'

  subroutine sections()
  end subroutine
end program
