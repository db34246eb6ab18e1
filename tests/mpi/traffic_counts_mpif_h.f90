! Messages that a program with mpif.h sends count, by process, exactly.
! cluster: nodes=3 ranks=6 env4=OMPI_MCA_osc=pt2pt
program traffic_counts
  implicit none
  include 'mpif.h'
  integer :: turned, grid, columns, request, got, several(2), window
  include 'traffic_counts_body.inc'
contains
  include 'traffic_book.inc'
  subroutine without_ierror()
  end subroutine
end program
